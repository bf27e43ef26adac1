// killed-young.mjs: the worker of a cluster is killed when it has asked for its socket, or when it has it. Does the primary live on?
// The primary is busy meanwhile, so that it answers when nobody is there any more. Each is tried three times, every time in a
// cluster that is started for it.
import { fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { print } from "../../streams/shared/asking.mjs";

const TIMES = 3;
const BUSY_MS = 400; // a worker has asked for its socket by then
const program = fileURLToPath(import.meta.url);
const moments = ["it has asked for its socket", "it has its socket"];
const [moment, listener] = process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL"); // as the kernel does when memory runs out

if (cluster.isWorker) {
  const server = createServer().listen(0, "127.0.0.1");
  if (moment === moments[0]) setTimeout(die, 10);
  else server.on("listening", die);
} else if (moment) {
  const worker = cluster.fork();
  if (listener === "listens") worker.on("error", () => {});
  worker.on("online", () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
  });
  // not once(): it would listen to errors, too
  worker.on("exit", () => process.send("lives", () => process.disconnect()));
} else {
  const lives = async (...what) => {
    const primary = fork(program, what, { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    let said = 0;
    primary.on("message", () => (said = 1));
    await once(primary, "exit");
    return said;
  };
  const ended = async (when, how) => {
    const tries = await Promise.all(Array.from({ length: TIMES }, () => lives(when, how)));
    return tries.filter((said) => !said).length;
  };
  for (const when of moments)
    print({
      "killed when": when,
      "primaries that ended, of 3": await ended(when, "no"),
      "with a listener to 'error'": await ended(when, "listens"),
    });
}
