// Runs contexts.cjs, as CommonJS and as an ES module, on every Node there is, and counts what came first.
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const { LAB_PROFILE = "course", LAB_NODES = "" } = process.env;
const RUNS = { smoke: 1, course: 5, reference: 10 }[LAB_PROFILE];
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "contexts-"));
const files = { CommonJS: fileURLToPath(new URL("contexts.cjs", import.meta.url)) };
files["ES module"] = join(folder, "contexts.mjs"); // the same text under another name
await copyFile(files.CommonJS, files["ES module"]);

const lines = async (node, file) => {
  const { stdout } = await run(node, [file]);
  return stdout.trim().split("\n").map(JSON.parse);
};

try {
  for (const node of [process.execPath, ...LAB_NODES.split(delimiter).filter(Boolean)]) {
    const { stdout } = await run(node, ["-p", "process.version"]);
    const rows = new Map(); // where from -> counts
    for (const [kind, file] of Object.entries(files))
      for (let i = 0; i < RUNS; i++)
        for (const { from, first } of await lines(node, file)) {
          if (!rows.has(from)) rows.set(from, { CommonJS: {}, "ES module": {} });
          const counts = rows.get(from)[kind];
          counts[first] = (counts[first] ?? 0) + 1;
        }
    const said = (counts) => Object.entries(counts).map(([what, n]) => `${what}, ${n} of ${RUNS}`);
    for (const [from, { CommonJS, "ES module": module }] of rows)
      console.log(
        JSON.stringify({
          node: stdout.trim(),
          "asked for from": from,
          "first as CommonJS": said(CommonJS).join("; "),
          "first as ES module": said(module).join("; "),
        }),
      );
  }
} finally {
  await rm(folder, { recursive: true });
}
