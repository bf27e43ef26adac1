// told.mjs: nothing is limited here. Node only reads files that say so, as a container of version 2 has them.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { print } from "../../streams/shared/asking.mjs";

const PRETEND = fileURLToPath(new URL("./pretend.py", import.meta.url));
const SEEN = fileURLToPath(new URL("./_seen.mjs", import.meta.url));

for (const quota of ["max 100000", "150000 100000", "100000 100000", "50000 100000"]) {
  const words = ["-I", "-S", PRETEND, quota, process.execPath, SEEN];
  const { cpus, parallelism } = JSON.parse(execFileSync("python3", words, { encoding: "utf8" }));
  print({ "cpu.max": quota, "os.cpus().length": cpus, "availableParallelism()": parallelism });
}
