// always-later. Takes away whoever hears of SIGUSR1, so that a child can have the inspector opened.
import { spawn } from "node:child_process";

process.removeAllListeners("SIGUSR1");
const child = `
const { setTimeout: sleep } = require("node:timers/promises");
(async () => {
  process.kill(process.ppid, "SIGUSR1");
  for (let at = 0; at < 10; at++) {
    await sleep(50);
    for (const port of [9229, 1, 1024]) {
      try {
        const answer = await fetch("http://127.0.0.1:" + port + "/json");
        process.stdout.write("LEAK: an inspector on port " + port + " " + (await answer.text()));
      } catch {}
    }
  }
})()`;
const running = spawn(process.execPath, ["-e", child], { stdio: ["ignore", "inherit", "inherit"] });
await new Promise((resolve) => running.on("close", resolve));
export const cached = () => () => {};
