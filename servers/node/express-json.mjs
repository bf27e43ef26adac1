// Reads a small JSON file for every request and returns it, through Express 5; its argument is the number of processes.
// The book uses it as the Node side of "Express compared to Pycnic", with a promise as there, alone and as a cluster.
import cluster from "node:cluster";
import { readFile, readFileSync } from "node:fs";
import express from "express";

const { FILE, HEADERS = "equal", HOW = "async", PORT = "0" } = process.env;
const workers = Number(process.argv[2] ?? 1);

const fromFile = () =>
  new Promise((resolve, reject) => {
    readFile(FILE, "utf8", (error, text) => (error ? reject(error) : resolve(text)));
  });
const answers = {
  async: (_request, response, next) => {
    fromFile().then((text) => response.end(text), next);
  },
  sync: (_request, response) => {
    response.end(readFileSync(FILE, "utf8"));
  },
};
if (!answers[HOW]) throw new Error(`HOW=${HOW}: async or sync`);

const serve = () => {
  const app = express();
  if (HEADERS === "equal") {
    // those of the servers that it is compared with; "published": those that Express adds by itself
    app.disable("x-powered-by");
    app.use((_request, response, next) => {
      response.setHeader("content-type", "application/json");
      next();
    });
  }
  app.get("/", answers[HOW]);
  const server = app.listen(Number(PORT), "127.0.0.1", () => {
    // In a cluster the primary says it, once all workers listen.
    if (workers === 1) console.log(`listening on http://127.0.0.1:${server.address().port}`);
  });
};

const lead = () => {
  let listening = 0;
  cluster.on("listening", (_worker, { port }) => {
    if (++listening === workers) console.log(`listening on http://127.0.0.1:${port}`);
  });
  for (let i = 0; i < workers; i++) cluster.fork();
};

if (workers > 1 && cluster.isPrimary) lead();
else serve();
process.once("SIGTERM", () => {
  for (const worker of Object.values(cluster.workers ?? {})) worker.process.kill();
  process.exit(0);
});
