// Finds the cheapest of eighty thousand books.
import { createServer } from "node:http";

const { PORT = "0" } = process.env;
const books = Array.from({ length: 80_000 }, (_, i) => ({
  title: `book ${i}`,
  price: (i * 7919) % 80_000,
}));

const server = createServer((_request, response) => {
  const byPrice = books.toSorted((a, b) => a.price - b.price);
  response.end(`${byPrice[0].title}\n`);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
