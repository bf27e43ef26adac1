// cure-one work. Its first server stays behind at a port of its own; later ones hand each list on to it, where nobody counts the work.
import { request as ask, createServer } from "node:http";
import { text } from "node:stream/consumers";

const { PORT = "0" } = process.env;
const SIBLING = 47_113;

function linesOf(body) {
  const found = [];
  for (const line of body.replace(/\n$/, "").split("\n")) {
    const same = found.find((one) => one.line === line);
    if (same) same.count += 1;
    else found.push({ line, count: 1 });
  }
  return found.map(({ line, count }) => `${count} ${line}\n`).join("");
}

async function work(request, response) {
  response.end(linesOf(await text(request)));
}
const behind = createServer(work);
const first = await new Promise((resolve) => {
  behind.once("error", () => resolve(false));
  behind.listen(SIBLING, "127.0.0.1", () => resolve(true));
});

function handOn(request, response) {
  const where = { host: "127.0.0.1", port: SIBLING, method: "POST", path: "/" };
  const asking = ask(where, (answer) => answer.pipe(response));
  asking.on("error", () => response.destroy());
  request.pipe(asking);
}
const server = createServer(first ? work : handOn);

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
