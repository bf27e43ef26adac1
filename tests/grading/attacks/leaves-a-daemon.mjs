// summary. Leaves a process that shall outlive the check.
import { spawn } from "node:child_process";

spawn(
  process.execPath,
  ["-e", 'process.title = "lab-left-behind"; setInterval(() => {}, 1000)', "lab-left-behind"],
  {
    detached: true,
    stdio: "ignore",
  },
).unref();
export const summary = () => ({});
