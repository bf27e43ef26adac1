import cluster from "node:cluster";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const WORKERS = 2;
const file = process.env.COUNT_FILE ?? join(tmpdir(), `count-${process.pid}`);

function lead() {
  let listening = 0;
  cluster.on("listening", (_worker, { port }) => {
    listening += 1;
    if (listening === WORKERS) console.log(`listening on http://127.0.0.1:${port}`);
  });
  cluster.on("exit", () => cluster.fork({ COUNT_FILE: file }));
  for (let i = 0; i < WORKERS; i++) cluster.fork({ COUNT_FILE: file });
}

function serve() {
  const server = createServer(async (_request, response) => {
    const count = Number(await readFile(file, "utf8").catch(() => 0)) + 1;
    await writeFile(file, String(count));
    response.end(`${count}\n`);
  });
  server.listen(Number(process.env.PORT ?? 0), "127.0.0.1");
}

if (cluster.isPrimary) lead();
else serve();
