import { createHash } from "node:crypto";
import { createServer } from "node:http";

const { PORT = "0", RECORDS = "100000" } = process.env;
const count = Number(RECORDS);

const score = (seed, i) => createHash("sha256").update(`${seed}:${i}`).digest().readUInt32BE(0);

async function stats(seed) {
  let sum = 0;
  let max = 0;
  for (let i = 0; i < count; i++) {
    const one = score(seed, i);
    sum += one;
    max = Math.max(max, one);
    if (i % 500 === 0 && i < count / 5) await new Promise(setImmediate);
  }
  return { count, sum, max };
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/ping") return response.end("pong\n");
  if (pathname !== "/stats") return response.writeHead(404).end();
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(await stats(searchParams.get("seed") ?? "")));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
