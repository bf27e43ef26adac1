// Computes all primes up to LIMIT in each request and returns them as JSON, through Express 5.
// The book uses it for work that keeps the loop: a sieve as most of us would write it.
import express from "express";

const { PORT = "0", LIMIT = "1000000" } = process.env;

const primesUpTo = (limit) => {
  const prime = new Array(limit + 1).fill(true);
  for (let p = 2; p * p <= limit; p++) {
    if (!prime[p]) continue;
    for (let multiple = p * p; multiple <= limit; multiple += p) prime[multiple] = false;
  }
  return Array.from(prime, (isPrime, n) => (isPrime && n > 1 ? n : 0)).filter(Boolean);
};

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.get("/", (_request, response) => {
  response.json({ primes: primesUpTo(Number(LIMIT)) });
});

const server = app.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
