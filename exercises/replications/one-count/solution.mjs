import cluster from "node:cluster";
import { createServer } from "node:http";

const WORKERS = 2;

// The leader counts, because it has a single loop and outlives its workers.
function lead() {
  let count = 0;
  let listening = 0;
  cluster.on("message", (worker, { ask }) => {
    count += 1;
    worker.send({ ask, count });
  });
  cluster.on("listening", (_worker, { port }) => {
    listening += 1;
    if (listening === WORKERS) console.log(`listening on http://127.0.0.1:${port}`);
  });
  cluster.on("exit", () => cluster.fork());
  for (let i = 0; i < WORKERS; i++) cluster.fork();
}

function serve() {
  const waiting = new Map(); // responses by the number of their message
  let asked = 0;
  process.on("message", ({ ask, count }) => {
    waiting.get(ask).end(`${count}\n`);
    waiting.delete(ask);
  });
  const server = createServer((_request, response) => {
    asked += 1;
    waiting.set(asked, response);
    process.send({ ask: asked });
  });
  server.listen(Number(process.env.PORT ?? 0), "127.0.0.1");
}

if (cluster.isPrimary) lead();
else serve();
