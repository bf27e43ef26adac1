// Sums are worked out by the threads of a pool of workers, not by the thread that answers.
import { fileURLToPath } from "node:url";
import express from "express";
import { Piscina } from "piscina";

const pool = new Piscina({
  filename: fileURLToPath(new URL("sum.js", import.meta.url)),
  maxThreads: 2,
});

const app = express();
app.get("/primes/:below", async (req, res) => {
  res.json({ primes: await pool.run(Number(req.params.below)) });
});
app.listen(process.env.PORT ?? 18134, "127.0.0.1");
