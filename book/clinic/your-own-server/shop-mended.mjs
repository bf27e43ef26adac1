// A small shop: the page of a book, ten per cent cheaper for whoever is logged in.
import { createServer } from "node:http";

const { PORT = "0", BOOKS = "30000" } = process.env;
const books = Array.from({ length: Number(BOOKS) }, (_, id) => ({
  id,
  title: `Book ${id}`,
  price: 10 + (id % 30),
  tags: ["new", "cheap"],
}));

// Whoever gets a book may change it, so nobody gets ours.
const copied = (value) => JSON.parse(JSON.stringify(value));

function find(id) {
  return copied(books[id]);
}

function page(id) {
  const book = find(id);
  book.price = Math.round(book.price * 90) / 100;
  return JSON.stringify(book);
}

const server = createServer((request, response) => {
  const id = Number(request.url.split("/")[2] ?? 0);
  if (!(id in books)) return response.writeHead(404).end();
  response.setHeader("Content-Type", "application/json");
  response.end(page(id));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
