import { EventEmitter } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

const { PORT = "0" } = process.env;
const most = 20; // {{most}}

const prices = new Map();
const changes = new EventEmitter().setMaxListeners(0); // Node had warned of a leak
let rendered = 0;

function render(id) {
  rendered += 1;
  const head = `${id}: ${prices.get(id) ?? "no price"}, page ${rendered}\n`;
  return Buffer.concat([Buffer.from(head), Buffer.alloc(256 * 1024, ".")]);
}

const pages = new Map();

function pageOf(id) {
  let page = pages.get(id);
  if (!page) {
    page = render(id);
    pages.set(id, page);
    changes.on("price", (changed) => {
      if (changed === id && pages.get(id) === page) pages.delete(id);
    });
  }
  return page;
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
