import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;
const PATIENCE_MS = 2000; // {{patience}}

async function part(path, deadline, signal) {
  const left = Math.floor(deadline - performance.now());
  if (left <= 0) throw new Error("nothing is left");
  const answer = await fetch(`${UPSTREAM}/${path}`, {
    signal,
    headers: { "x-time-left": String(left) },
  });
  return answer.text();
}

const server = createServer(async (request, response) => {
  const given = Number(request.headers["x-time-left"] ?? PATIENCE_MS);
  const deadline = performance.now() + given; // a moment, so that what has passed need not be added up
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.max(0, given));
  try {
    const first = await part("a", deadline, controller.signal);
    const second = await part("b", deadline, controller.signal);
    response.end(first + second);
  } catch {
    response.writeHead(504).end("too late\n");
  } finally {
    clearTimeout(timer);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
