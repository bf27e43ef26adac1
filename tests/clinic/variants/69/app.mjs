// A basket: the prices of all articles are asked for side by side.
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
  const articles = [1, 2, 3, 4, 5, 6, 7, 8];
  response.end(JSON.stringify(await Promise.all(articles.map(price))));
}).listen(process.env.PORT ?? 18169, "127.0.0.1");
