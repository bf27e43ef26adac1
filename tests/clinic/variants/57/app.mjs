// A catalogue comes in piece by piece for the first seconds, and then it is there.
import { createServer } from "node:http";

const articles = new Map();
const filling = setInterval(() => {
  for (let i = 0; i < 2_000; i++) {
    const id = articles.size;
    articles.set(id, {
      id,
      name: `article ${id}`,
      words: ["red", "green", `no ${id}`],
      stock: id % 7,
    });
  }
  if (articles.size >= 160_000) clearInterval(filling);
}, 100);

createServer((_req, res) => {
  const id = Math.floor(Math.random() * articles.size);
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify(articles.get(id) ?? null));
}).listen(process.env.PORT ?? 18157);
