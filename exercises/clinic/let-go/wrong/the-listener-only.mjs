import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { PORT = "0" } = process.env;

const prices = new Map();
const changes = new EventEmitter();
let rendered = 0;

function render(id) {
  rendered += 1;
  const head = `${id}: ${prices.get(id) ?? "no price"}, page ${rendered}\n`;
  return Buffer.concat([Buffer.from(head), Buffer.alloc(256 * 1024, ".")]);
}

const pages = new Map();
changes.on("price", (id) => pages.delete(id));

function pageOf(id) {
  if (!pages.has(id)) pages.set(id, render(id));
  return pages.get(id);
}

const server = createServer(async (request, response) => {
  const [, what, id] = request.url.split("/");
  if (what === "books") return response.end(pageOf(id));
  if (what !== "prices" || request.method !== "POST") return response.writeHead(404).end();
  prices.set(id, await text(request));
  changes.emit("price", id);
  response.writeHead(204).end();
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
