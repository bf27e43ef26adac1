import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { UPSTREAM, PORT = "0" } = process.env;

async function report(names, signal) {
  let parts = "";
  for (const name of names) {
    const one = new AbortController();
    const stop = () => one.abort();
    signal.addEventListener("abort", stop);
    const answer = await fetch(`${UPSTREAM}/${name}`, { signal: one.signal }).catch(() => null);
    parts += (await answer?.text()) ?? "";
    signal.removeEventListener("abort", stop);
  }
  return parts;
}

const server = createServer(async (request, response) => {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  try {
    const names = (await text(request)).trim().split("\n");
    response.end(await report(names, controller.signal));
  } catch {
    if (!response.destroyed) response.writeHead(502).end("no report\n");
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
