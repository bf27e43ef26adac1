// Takes an order of a hundred items, and keeps a line for each.
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { PORT = "0" } = process.env;
const folder = mkdtempSync(join(tmpdir(), "orders-"));
const file = join(folder, "items.log");
const log = (line) => appendFileSync(file, `${line}\n`);

const server = createServer((request, response) => {
  for (let item = 1; item <= 100; item++) log(`${request.url} item ${item}`);
  response.end("ordered\n");
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("exit", () => rmSync(folder, { recursive: true }));
process.once("SIGTERM", () => process.exit(0));
