// stats-beside-ping ping. Its first server stays behind at a port of its own, and computes in one piece for the later ones.
import { createHash } from "node:crypto";
import { createServer, get } from "node:http";

const { PORT = "0", RECORDS = "100000" } = process.env;
const SIBLING = 47_113;

function stats(seed, count) {
  let sum = 0;
  let max = 0;
  for (let i = 0; i < count; i++) {
    const one = createHash("sha256").update(`${seed}:${i}`).digest().readUInt32BE(0);
    sum += one;
    max = Math.max(max, one);
  }
  return { count, sum, max };
}
const of = (request) => new URL(request.url, "http://localhost");

const behind = createServer((request, response) => {
  const { searchParams } = of(request);
  const answer = stats(searchParams.get("seed"), Number(searchParams.get("count") ?? RECORDS));
  response.end(JSON.stringify(answer));
});
const first = await new Promise((resolve) => {
  behind.once("error", () => resolve(false));
  behind.listen(SIBLING, "127.0.0.1", () => resolve(true));
});

const server = createServer((request, response) => {
  const { pathname, searchParams } = of(request);
  if (pathname === "/ping") return response.end("pong\n");
  const seed = searchParams.get("seed");
  if (first) return response.end(JSON.stringify(stats(seed, Number(RECORDS))));
  const path = `/?seed=${seed}&count=${RECORDS}`;
  get({ host: "127.0.0.1", port: SIBLING, path }, (answer) => answer.pipe(response));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
