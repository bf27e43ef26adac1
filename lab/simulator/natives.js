// The texts of Node's own modules, as they are in the Node that is asked.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const ASK = `process.stdout.write(JSON.stringify({ version: process.version, versions: process.versions,
  texts: process.binding("natives") }))`;

/** {version, versions, texts} of a Node program; `texts` by the module's name. */
export async function natives(node) {
  const { stdout } = await promisify(execFile)(node, ["--no-deprecation", "-e", ASK], {
    maxBuffer: 2 ** 26,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return JSON.parse(stdout);
}
