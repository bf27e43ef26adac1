// A child process that copies its input to its output, stopped by a signal: how much can be written to it before
// write() says no, and how much more until nothing moves? Then it may go on, and 64 MiB pass through it.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { print } from "../shared/asking.mjs";

const child = spawn("cat", { stdio: ["pipe", "pipe", "inherit"] });
child.stdin.write("ready");
await once(child.stdout, "readable");
child.stdout.read();
child.kill("SIGSTOP");
let written = 0;
let kept = true;
let first_no = 0;
const chunk = Buffer.alloc(16384, "x");
while (kept || child.stdin.writableLength === 0) {
  kept = child.stdin.write(chunk);
  written += chunk.length;
  if (!kept) first_no ||= written;
  await new Promise(setImmediate);
}
let fd = "";
try {
  fd = readlinkSync(`/proc/self/fd/${child.stdin._handle.fd}`).replace(/\W.*/, "");
} catch {}
print({ kind: "stopped", fd, first_no, written, queued: child.stdin.writableLength });
child.kill("SIGCONT");

const [put, got] = [createHash("sha256"), createHash("sha256")];
let [bytes, ahead] = [-written, 0];
for (let passed = 0; passed < written; ) passed += put.update(chunk) && chunk.length;
const source = function* () {
  for (let i = 0; i < 1024; i += 1) {
    const part = Buffer.alloc(65536, `${i} `);
    put.update(part);
    ahead = Math.max(ahead, 65536 * (i + 1) - bytes);
    yield part;
  }
};
const sink = async (chunks) => {
  for await (const part of chunks) {
    got.update(part);
    bytes += part.length;
  }
};
await Promise.all([pipeline(source, child.stdin), pipeline(child.stdout, sink)]);
print({ kind: "passed", bytes, ahead, same: put.digest("hex") === got.digest("hex") });
