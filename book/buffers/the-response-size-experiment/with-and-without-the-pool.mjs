// The rows of cost-per-response.mjs on this Node as it is, and, where its V8 pools large pages, with that pool off.
//   node with-and-without-the-pool.mjs 262144 string,Buffer 2
import { execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./cost-per-response.mjs", import.meta.url));
const given = process.argv.slice(2);
const options = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
// V8 prints each flag as it is called, and its default as it would be set; Node 25 has the pool, and leaves it off.
const pools = /default: --large-page-pool$/m.test(options);

async function print(pool, flags) {
  const child = fork(program, given, { execArgv: flags, silent: true });
  child.stderr.pipe(process.stderr);
  for await (const line of createInterface({ input: child.stdout }))
    console.log(JSON.stringify({ pool, ...JSON.parse(line) }));
  if (child.exitCode === null) await once(child, "exit");
  if (child.exitCode) process.exitCode = child.exitCode;
}

await print(pools ? "on" : "none", []);
if (pools) await print("off", ["--no-large-page-pool"]);
