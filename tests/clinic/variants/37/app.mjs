// A catalogue made anew for each visitor: some thousand short-lived objects, a millisecond or two.
import express from "express";

const names = ["red", "green", "blue", "white"];

const app = express();
app.get("/catalogue", (_req, res) => {
  const articles = Array.from({ length: 3_000 }, (_, id) => ({
    id,
    name: `${names[id % names.length]} ${id}`,
    tags: [id % 3, id % 5],
  }));
  const cheap = articles.filter(({ tags }) => tags[0] === 0).map(({ id, name }) => ({ id, name }));
  res.json(cheap.slice(0, 50));
});
app.listen(Number(process.env.PORT ?? 18137), "127.0.0.1");
