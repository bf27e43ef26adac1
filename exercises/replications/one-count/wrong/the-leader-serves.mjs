import { fork } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

let count = 0;

function serve() {
  const server = createServer((_request, response) => {
    count += 1;
    response.end(`${count}\n`);
  });
  server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`);
  });
}

if (process.argv[2] === "worker") process.on("message", () => {});
else {
  for (let i = 0; i < 2; i++) fork(fileURLToPath(import.meta.url), ["worker"]);
  serve();
}
