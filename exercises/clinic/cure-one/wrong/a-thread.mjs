import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const { PORT = "0" } = process.env;

function linesOf(body) {
  const found = [];
  for (const line of body.replace(/\n$/, "").split("\n")) {
    const same = found.find((one) => one.line === line);
    if (same) same.count += 1;
    else found.push({ line, count: 1 });
  }
  return found.map(({ line, count }) => `${count} ${line}\n`).join("");
}

if (!isMainThread) parentPort.on("message", (body) => parentPort.postMessage(linesOf(body)));
else {
  const worker = new Worker(new URL(import.meta.url));
  const waiting = [];
  worker.on("message", (answer) => waiting.shift().end(answer));
  const server = createServer(async (request, response) => {
    if (request.url === "/ping") return response.end("pong\n");
    const body = await text(request);
    waiting.push(response);
    worker.postMessage(body);
  });
  server.listen(Number(PORT), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`);
  });
}
