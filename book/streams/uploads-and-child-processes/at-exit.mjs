// How much of what a program prints arrives, if it leaves with process.exit() and if it ends by itself? Its output is a file, a
// pipe of the shell, or the socket that Node gives its children.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { print } from "../shared/asking.mjs";

const node = process.execPath;
const says = fileURLToPath(new URL("./says.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "exit-"));

const outputs = {
  "a file": (how) => {
    const path = join(folder, how);
    const file = openSync(path, "w");
    spawnSync(node, [says, how], { stdio: ["ignore", file, "inherit"] });
    closeSync(file);
    return statSync(path).size;
  },
  "a pipe": (how) => Number(execFileSync("sh", ["-c", '"$0" "$@" | wc -c', node, says, how])),
  "a socket": (how) => {
    const stdio = ["ignore", "pipe", "inherit"];
    return spawnSync(node, [says, how], { stdio, maxBuffer: 2 ** 22 }).stdout.length;
  },
};

try {
  for (const [output, arrived] of Object.entries(outputs)) {
    const [left, ended] = ["exit", "end"].map((how) => arrived(how) / 1024);
    print({
      "its output is": output,
      "process.exit(), arrived (KiB)": left,
      "ended by itself, arrived (KiB)": ended,
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
