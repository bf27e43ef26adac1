import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const { UPSTREAM, PORT = "0" } = process.env;
const store = 5; // {{store}}
const every = 10; // {{every}}

async function ask(method, path, body) {
  try {
    const answer = await fetch(`${UPSTREAM}${path}`, { method, body });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  } catch {
    return { status: 502, body: "", broken: true };
  }
}

const server = createServer(async (request, response) => {
  const body = request.method === "GET" ? undefined : await buffer(request);
  let answer = await ask(request.method, request.url, body);
  for (let retries = 0; retries < 4 && (answer.status === 503 || answer.broken); retries++)
    answer = await ask(request.method, request.url, body);
  response.writeHead(answer.status).end(answer.body);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
