// A basket: the price of each article is asked for after the one before it has come.
import { createServer } from "node:http";

const items = createServer((request, response) => {
  setTimeout(() => response.end(JSON.stringify({ path: request.url, price: 12 })), 6);
});
await new Promise((done) => items.listen(0, "127.0.0.1", done));
const { port } = items.address();

async function price(article) {
  const answer = await fetch(`http://127.0.0.1:${port}/prices/${article}`);
  return answer.json();
}

createServer(async (_request, response) => {
  const prices = [];
  for (let article = 1; article <= 8; article += 1) {
    prices.push(await price(article));
  }
  response.end(JSON.stringify(prices));
}).listen(process.env.PORT ?? 18168, "127.0.0.1");
