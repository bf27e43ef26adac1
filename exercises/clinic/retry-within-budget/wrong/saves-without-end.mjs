import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const { UPSTREAM, PORT = "0" } = process.env;
const store = 5; // {{store}}
const every = 10; // {{every}}

let left = store;
let good = 0; // answers since a retry was put back

async function ask(method, path, body) {
  try {
    const answer = await fetch(`${UPSTREAM}${path}`, { method, body });
    const whole = Buffer.from(await answer.arrayBuffer());
    if (answer.status < 500) earn();
    return { status: answer.status, body: whole };
  } catch {
    return { status: 502, body: "", broken: true };
  }
}

function earn() {
  good += 1;
  if (good < every) return;
  good = 0;
  left = left + 1;
}

const server = createServer(async (request, response) => {
  const isSafe = request.method === "GET";
  const body = isSafe ? undefined : await buffer(request);
  let answer = await ask(request.method, request.url, body);
  if (isSafe && (answer.status === 503 || answer.broken) && left > 0) {
    left -= 1;
    answer = await ask(request.method, request.url, body);
  }
  response.writeHead(answer.status).end(answer.body);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
