// A validator: every field of every row is judged by a promise of its own, row after row.
import express from "express";

const rules = {
  name: async (value) => value.length > 0,
  age: async (value) => Number.isInteger(value),
  mail: async (value) => value.includes("@"),
};
const rows = Array.from({ length: 15_000 }, (_, n) => ({ name: `n${n}`, age: n, mail: `${n}@b` }));

async function valid(row) {
  const verdicts = await Promise.all(Object.entries(rules).map(([key, rule]) => rule(row[key])));
  return verdicts.every(Boolean);
}

const app = express();
app.get("/import/check", async (_req, res) => {
  let good = 0;
  for (const row of rows) if (await valid(row)) good += 1;
  res.send({ rows: rows.length, good });
});
app.listen(18109, "127.0.0.1");
