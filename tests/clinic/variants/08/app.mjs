// Waiting for a price that is put on the shelf by a timer: the handler asks again after each await.
import express from "express";

const shelf = new Map();
setInterval(() => shelf.set("price", Math.round(Math.random() * 100)), 1000);

async function settled(patience) {
  const until = Date.now() + patience;
  let price = shelf.get("price");
  while (Date.now() < until) {
    await null;
    price = shelf.get("price") ?? price;
  }
  return price ?? 0;
}

const app = express();
app.get("/price", async (_req, res) => {
  res.json({ price: await settled(25) });
});
app.listen(Number(process.env.PORT) || 18108, "127.0.0.1");
