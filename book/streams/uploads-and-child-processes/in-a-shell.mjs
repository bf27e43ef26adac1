// in-a-shell.mjs MIB RATE: that many mebibytes go through capitals.mjs as a shell would send them, to a reader that takes RATE of
// them a second, and into a file.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { print } from "../shared/asking.mjs";
import { MIB, scale } from "../shared/watching.mjs";

const run = promisify(execFile);
const self = fileURLToPath(import.meta.url);
const filter = fileURLToPath(new URL("./capitals.mjs", import.meta.url));
const [role, rate] = process.argv.slice(2);

/** Takes `rate` MiB of its input a second, and says how much there was. */
async function readSlowly() {
  const began = performance.now();
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += chunk.length;
    if (chunk.includes("a")) throw new Error("this is not in capitals");
    const left = began + (1000 * bytes) / (Number(rate) * MIB) - performance.now();
    if (left > 0) await pause(left);
  }
  console.log(bytes);
}

/** The same bytes through the same program, with its output in a pipe or in a file. */
async function through(total, folder) {
  const file = join(folder, "capitals");
  const ends = {
    "a pipe": '| "$NODE" "$SELF" read "$RATE"',
    "a file": '> "$FILE"',
  };
  for (const [output, end] of Object.entries(ends))
    for (const way of ["pipeline()", "write(), whatever it says"]) {
      const all = `yes "a movie" | head -c "$TOTAL" | "$NODE" "$FILTER" "$WAY" ${end}`;
      const names = { NODE: process.execPath, SELF: self, FILTER: filter, FILE: file };
      const env = { ...process.env, ...names, TOTAL: total, WAY: way, RATE: rate };
      const { stdout, stderr } = await run("sh", ["-c", all], { env });
      const came = output === "a pipe" ? Number(stdout) : statSync(file).size;
      if (came !== total) throw new Error(`${came} of ${total} bytes came out`);
      const { growth, queued } = JSON.parse(stderr);
      print({ "its output is": output, way, "grew by (MiB)": growth, "waited (MiB)": queued });
    }
}

if (role === "read") await readSlowly();
else {
  const folder = mkdtempSync(join(tmpdir(), "shell-"));
  try {
    await through(Math.ceil(Number(role) * scale) * MIB, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
