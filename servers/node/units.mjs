// Answers /, and /who with the number of its process, and /heavy after HEAVY_MS of computing; WHERE says who computes, and who answers.
// The book uses it for what a Worker, a process and a cluster are good for.
import { fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const { PORT = "0", WHERE = "loop", HEAVY_MS = "600", PROCESSES = "2", POLICY } = process.env;
const [, program, computes] = process.argv;

// who computes?
const compute = () => {
  for (const end = performance.now() + Number(HEAVY_MS); performance.now() < end; );
};
const places = {
  loop: async () => compute(),
  worker: () => once(new Worker(program), "message"),
  process: () => once(fork(program, ["computes"]), "message"),
};
const answer = async (request, response) => {
  if (request.url === "/heavy") await (places[WHERE] ?? places.loop)();
  if (request.url === "/slow") await wait(Number(HEAVY_MS));
  if (request.url === "/throws") setTimeout(() => JSON.parse("no JSON"));
  else response.end(request.url === "/who" ? `${cluster.worker?.id ?? 0}\n` : "pong\n");
};

// who answers?
const say = (port) => console.log(`listening on http://127.0.0.1:${port}`);
const lead = async () => {
  cluster.on("fork", (worker) => worker.on("error", console.error)); // it may be killed while we write to it
  cluster.schedulingPolicy = POLICY === "none" ? cluster.SCHED_NONE : cluster.SCHED_RR;
  const begun = Array.from({ length: Number(PROCESSES) }, () => once(cluster.fork(), "listening"));
  const [[{ port }]] = await Promise.all(begun);
  cluster.on("exit", () => cluster.fork()); // another one instead
  say(port);
};
const serve = () => {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  server.listen(Number(PORT), "127.0.0.1", () => cluster.isWorker || say(server.address().port));
};
if (!isMainThread) {
  compute();
  parentPort.postMessage("done");
} else if (computes) {
  compute();
  process.send("done", () => process.disconnect());
} else if (WHERE === "cluster" && cluster.isPrimary) lead();
else serve();

process.once("SIGTERM", () => process.exit(0));
