// A status page that looks up every machine of its list anew, one after the other, per visitor.
const express = require("express");
const { lookup } = require("node:dns/promises");

const machines = Array.from({ length: 120 }, (_, n) => ({ name: `node-${n}`, host: "localhost" }));

const app = express();
app.get("/status", async (_req, res) => {
  const rows = [];
  for (const machine of machines) {
    const { address } = await lookup(machine.host, { family: 4 });
    rows.push({ ...machine, address });
  }
  res.json(rows);
});

app.listen(Number(process.env.PORT || 18117), "127.0.0.1");
