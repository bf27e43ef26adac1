// microtask flood: the work is cut into slices, with an `await null` in between, which is no turn; in Express
const express = require("express");

function slice() {
  let x = 0;
  for (let i = 0; i < 200_000; i++) x += Math.sqrt(i);
  return x;
}
const app = express();
app.get("/", async (_request, response) => {
  let total = 0;
  for (let i = 0; i < 150; i++) {
    total += slice();
    await null;
  }
  response.send(String(total));
});
app.listen(Number(process.env.PORT), "127.0.0.1");
