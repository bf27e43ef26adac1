import cluster from "node:cluster";
import { createServer } from "node:http";

const WORKERS = 2;

function lead() {
  let listening = 0;
  cluster.on("listening", (_worker, { port }) => {
    listening += 1;
    if (listening === WORKERS) console.log(`listening on http://127.0.0.1:${port}`);
  });
  cluster.on("exit", () => cluster.fork());
  for (let i = 0; i < WORKERS; i++) cluster.fork();
}

function serve() {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.end(`${count}\n`);
  });
  server.listen(Number(process.env.PORT ?? 0), "127.0.0.1");
}

if (cluster.isPrimary) lead();
else serve();
