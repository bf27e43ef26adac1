// Sends all sales as a table, two megabytes.
import { createServer } from "node:http";

const { PORT = "0" } = process.env;
const sale = `2026-11-23;${"a book with a long title;".repeat(40)}\n`;

const server = createServer((_request, response) => {
  response.setHeader("Content-Type", "text/csv; charset=utf-8");
  for (let row = 0; row < 2000; row++) response.write(sale);
  response.end();
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
