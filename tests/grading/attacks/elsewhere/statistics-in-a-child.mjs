// stats-beside-ping ping. A process computes each answer, and has ended when it is there: nobody finds it afterwards.
import { execFile } from "node:child_process";
import { createServer } from "node:http";

const { PORT = "0", RECORDS = "100000" } = process.env;

const CODE = `
const { createHash } = require("node:crypto");
const [, seed, records] = process.argv;
const count = Number(records);
let sum = 0;
let max = 0;
for (let i = 0; i < count; i++) {
  const one = createHash("sha256").update(seed + ":" + i).digest().readUInt32BE(0);
  sum += one;
  max = Math.max(max, one);
}
process.stdout.write(JSON.stringify({ count, sum, max }));
`;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/ping") return response.end("pong\n");
  const given = ["-e", CODE, "--", searchParams.get("seed"), RECORDS];
  execFile(process.execPath, given, (_error, stdout) => response.end(stdout));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
