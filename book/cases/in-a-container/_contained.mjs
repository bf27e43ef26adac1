// Runs a program of this chapter under limits of a control group, as a container does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const LIMITS = fileURLToPath(new URL("../../../lab/processes/limits.py", import.meta.url));

/** Starts a program, by its URL, with limits; 0 is no limit. `ended` resolves to its code, and to what its group counted. */
export const contained = (
  program,
  { cpus = 0, memoryMiB = 0, env = {}, flags = [], words = [] },
) => {
  const limits = [`--cpus=${cpus}`, `--memory-mib=${memoryMiB}`, "--report=3"];
  const command = [process.execPath, ...flags, fileURLToPath(program), ...words.map(String)];
  const child = spawn("python3", ["-I", "-S", LIMITS, ...limits, "--", ...command], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const said = text(child.stderr);
  const counted = text(child.stdio[3]);
  const ended = once(child, "exit").then(async ([code]) => {
    if (code === 125 || code === 127) throw new Error(await said);
    return { code, said: await said, ...JSON.parse((await counted) || "{}") };
  });
  return { child, ended };
};
