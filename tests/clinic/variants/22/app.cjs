// Page views are put in a list; a timer saves a few of them at a time, fewer than come in.
const express = require("express");

const views = [];
function save(batch) {
  return new Promise((resolve) => setTimeout(resolve, 20, batch.length));
}
setInterval(async () => {
  await save(views.splice(0, 10));
}, 100);

const app = express();
app.get("/article/:id", (req, res) => {
  views.push({
    id: req.params.id,
    at: new Date(),
    headers: structuredClone(req.headers),
    trail: new Array(300).fill(0).map((_, n) => `${n}:${Math.random()}`),
  });
  res.send("<p>an article</p>");
});
app.listen(Number(process.env.PORT) || 18122, "127.0.0.1");
