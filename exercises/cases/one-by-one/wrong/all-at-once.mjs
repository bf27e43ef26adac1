import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";
import { Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const { PORT = "0", WORK_MS = "20" } = process.env;
const WORKERS = 3; // {{workers}}

function lead() {
  let listening = 0;
  let replacing = false;
  cluster.on("listening", (_worker, { port }) => {
    listening += 1;
    if (listening === WORKERS) console.log(`listening on http://127.0.0.1:${port}`);
  });
  cluster.on("exit", (worker) => {
    if (!worker.exitedAfterDisconnect) cluster.fork(); // by itself, and not because it was told to
  });
  for (let i = 0; i < WORKERS; i++) cluster.fork();

  process.on("SIGHUP", async () => {
    if (replacing) return;
    replacing = true;
    const before = Object.values(cluster.workers);
    await Promise.all(before.map(() => once(cluster.fork(), "listening")));
    const gone = before.map((old) => once(old, "exit"));
    for (const old of before) old.disconnect();
    await Promise.all(gone);
    replacing = false;
  });
}

function serve() {
  const server = createServer(async (_request, response) => {
    await sleep(Number(WORK_MS));
    response.end(`${process.pid}\n`);
  });
  // Since Node 26.4, close() of node:http, which disconnect() calls, also ends connections that have not sent a request yet.
  // close() of node:net only stops listening, and waits for these connections.
  server.close = Server.prototype.close;
  server.listen(Number(PORT), "127.0.0.1");
}

if (cluster.isPrimary) lead();
else serve();
