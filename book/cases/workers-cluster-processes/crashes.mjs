// crashes.mjs: a Worker and a child process come to an end in four ways. Does whoever started them live on? Each is tried in a process
// that is started for it.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { print } from "../../streams/shared/asking.mjs";

const program = fileURLToPath(import.meta.url);
const ends = {
  throws: () => {
    throw new Error("nobody expected this");
  },
  "calls process.exit()": () => process.exit(3),
  "fills its heap": () => {
    for (const all = []; ; ) all.push(new Array(100_000).fill(all.length));
  },
  // what a mistake in an addon or in Node itself does
  "crashes in native code": () => process.kill(process.pid, "SIGSEGV"),
};

const [role, unit, how] = process.argv.slice(2);
const quiet = { stdio: ["ignore", "ignore", "ignore", "ipc"] };
const limits = { maxOldGenerationSizeMb: 32 };

if (!isMainThread) ends[workerData]();
else if (role === "ends") ends[how]();
else if (role === "starts") {
  const begun =
    unit === "Worker"
      ? new Worker(program, { workerData: how, resourceLimits: limits, stderr: true })
      : fork(program, ["ends", unit, how], { ...quiet, execArgv: ["--max-old-space-size=32"] });
  begun.on("error", () => {}); // whoever listens to it goes on
  await new Promise((resolve) => begun.on("exit", resolve));
  process.send("lives", () => process.disconnect());
} else {
  const tried = async (one, way) => {
    const starter = fork(program, ["starts", one, way], quiet);
    let lives = false;
    starter.on("message", () => (lives = true));
    await once(starter, "exit");
    return lives ? "lives on" : "ends with it";
  };
  for (const way of Object.keys(ends)) {
    const units = ["Worker", "process"];
    const [worker, child] = await Promise.all(units.map((one) => tried(one, way)));
    print({ it: way, "starter of a Worker": worker, "starter of a process": child });
  }
}
