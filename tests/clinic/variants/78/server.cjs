"use strict";
const http = require("node:http");
const upstream = require("./upstream.cjs");

const ATTEMPTS = 8;
const PAUSE = 3;

async function fetchRates(base) {
  let failure;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const response = await fetch(`${base}/rates`);
      const text = await response.text();
      if (response.status === 200) return JSON.parse(text);
      failure = new Error(`rates: ${response.status} ${text}`);
    } catch (error) {
      failure = error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw failure;
}

function convert(rates, amount, to) {
  return { amount: Math.round(amount * rates[to] * 100) / 100, currency: to };
}

upstream.start().then((base) => {
  const server = http.createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url, "http://localhost");
    if (pathname !== "/convert") {
      res.writeHead(404).end();
      return;
    }
    try {
      const rates = await fetchRates(base);
      const result = convert(
        rates,
        Number(searchParams.get("eur") || 1),
        searchParams.get("to") || "usd",
      );
      res.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(result));
    } catch (error) {
      res.writeHead(503, { "Retry-After": "1" }).end(error.message);
    }
  });
  server.listen(process.env.PORT, "127.0.0.1");
});

process.on("SIGTERM", () => process.exit(0));
