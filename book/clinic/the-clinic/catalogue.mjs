// Makes a page of fifteen hundred books for each who asks.
import { createServer } from "node:http";

const { PORT = "0" } = process.env;
const books = Array.from({ length: 1500 }, (_, id) => ({ id, title: `book ${id}`, tags: ["new"] }));

const server = createServer((_request, response) => {
  const page = books.map((book) => ({ ...book, url: `/books/${book.id}` }));
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify(page));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
