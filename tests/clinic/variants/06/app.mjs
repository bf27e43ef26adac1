// Totals of a shopping list: an async generator hands out prices that are all in memory.
import { createServer } from "node:http";

const items = Array.from({ length: 120_000 }, (_, n) => ({ price: n % 100, count: 1 + (n % 3) }));

async function* priced(list) {
  for (const item of list) yield item.price * item.count;
}

async function total() {
  let sum = 0;
  for await (const price of priced(items)) sum += price;
  return sum;
}

createServer(async (_request, response) => {
  response.end(`${await total()}\n`);
}).listen(process.env.PORT ?? 18106, "127.0.0.1");
