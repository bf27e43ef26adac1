// through-another.mjs PROGRAM ARGUMENT...: 16 MiB of lines pass through a program. How much of them has gone in when the
// first byte comes out, how much comes out, and how does it end?
import { spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { print } from "../shared/asking.mjs";

const MIB = 2 ** 20;
const [program, ...options] = process.argv.slice(2);
const child = spawn(program, options, { stdio: ["pipe", "pipe", "inherit"] });
let [goneIn, comeOut, inBeforeOut] = [0, 0, 0];
function* lines() {
  for (let first = 0; goneIn < 16 * MIB; first += 4096) {
    const numbers = Array.from({ length: 4096 }, (_, i) => (first + i) ^ 0x5555);
    const part = `${numbers.join(" of the lines\n")} of the lines\n`;
    goneIn += part.length;
    yield part;
  }
}
const sink = async (parts) => {
  for await (const part of parts) {
    if (comeOut === 0) inBeforeOut = goneIn;
    comeOut += part.length;
  }
};
const [put] = await Promise.allSettled([
  pipeline(lines, child.stdin),
  pipeline(child.stdout, sink),
]);
print({ goneIn, inBeforeOut, comeOut, ended: put.reason?.code ?? "whole" });
