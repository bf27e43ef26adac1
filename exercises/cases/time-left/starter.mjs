import { createServer } from "node:http";

const { UPSTREAM, PORT = "0" } = process.env;
const PATIENCE_MS = 2000; // {{patience}}

async function part(path) {
  const answer = await fetch(`${UPSTREAM}/${path}`, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: { "x-time-left": String(PATIENCE_MS) },
  });
  return answer.text();
}

const server = createServer(async (_request, response) => {
  try {
    response.end((await part("a")) + (await part("b")));
  } catch {
    response.writeHead(504).end("too late\n");
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
