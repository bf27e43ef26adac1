import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;
const WORKING = 3; // {{working}}
const WAITING = 6; // {{waiting}}

let working = 0;
const waiting = []; // functions that begin, the oldest first

async function pass(path, response) {
  working += 1;
  try {
    const answer = await fetch(`${UPSTREAM}${path}`);
    const body = await answer.text();
    if (answer.status === 200) response.end(body);
    else response.writeHead(502).end("the upstream failed\n");
  } catch {
    response.writeHead(502).end("the upstream broke off\n");
  } finally {
    working -= 1;
    waiting.shift()?.();
  }
}

const server = createServer((request, response) => {
  if (request.url === "/ping") return response.end("pong\n");
  const begin = () => pass(request.url, response);
  if (working < WORKING) return begin();
  if (waiting.length >= WAITING)
    return response.writeHead(503, { "retry-after": "1" }).end("come back later\n");
  waiting.push(begin);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
