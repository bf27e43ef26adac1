// Asks another server CALLS times for each request, all at once, and answers with the number of bytes that came back.
// The book uses it for what a call costs the client: by fetch, or by node:http with connections that are kept or not.
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, createServer, get } from "node:http";
import { fileURLToPath } from "node:url";

const { PORT = "0", HOW = "fetch", CALLS = "50", SIZE = "65536" } = process.env;

if (process.argv[2] === "far") {
  const body = Buffer.alloc(Number(SIZE), "_");
  const far = createServer((_request, response) => response.end(body));
  far.keepAliveTimeout = 60_000;
  far.listen(0, "127.0.0.1", () => process.send(far.address().port));
  process.once("disconnect", () => process.exit());
} else {
  const child = fork(fileURLToPath(import.meta.url), ["far"]);
  const [port] = await once(child, "message");
  const url = `http://127.0.0.1:${port}/`;

  const through = (agent) => () =>
    new Promise((resolve, reject) => {
      const request = get(url, { agent }, (response) => {
        let bytes = 0;
        response.on("data", (chunk) => (bytes += chunk.length));
        response.on("end", () => resolve(bytes));
      });
      request.on("error", reject);
    });
  const ways = {
    fetch: async () => (await (await fetch(url)).arrayBuffer()).byteLength,
    kept: through(new Agent({ keepAlive: true, maxSockets: 50 })),
    fresh: through(new Agent({ keepAlive: false, maxSockets: 50 })),
  };
  // end of the ways
  const call = ways[HOW];

  const server = createServer(async (_request, response) => {
    const sizes = await Promise.all(Array.from({ length: Number(CALLS) }, call));
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end(`${sizes.reduce((sum, size) => sum + size, 0)}\n`);
  });
  server.listen(Number(PORT), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`);
  });
  process.once("SIGTERM", () => process.exit(0));
}
