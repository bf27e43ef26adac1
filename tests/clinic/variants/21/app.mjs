// An export of a table: each row is written when it is at hand, whatever res.write returns.
import express from "express";

const cells = "0123456789,".repeat(80);

const app = express();
app.get("/export.csv", async (_req, res) => {
  res.type("text/csv");
  for (let part = 0; part < 20; part += 1) {
    for (let row = 0; row < 500; row += 1) res.write(`${part},${row},${cells}\n`);
    await new Promise(setImmediate);
  }
  res.end();
});
app.listen(process.env.PORT ?? 18121, "127.0.0.1");
