// blocked loop: every fifth request of an Express app sorts a large list
const express = require("express");

const list = Array.from({ length: 120_000 }, (_, i) => ({ name: `n${(i * 7919) % 120_000}` }));
let n = 0;
const app = express();
app.get("/", (_request, response) => {
  n += 1;
  if (n % 5 !== 0) return response.json({ n });
  const sorted = [...list].sort((a, b) => a.name.localeCompare(b.name));
  response.json({ n, first: sorted[0] });
});
app.listen(Number(process.env.PORT), "127.0.0.1");
