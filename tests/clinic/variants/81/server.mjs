import { createServer } from "node:http";
import { audit } from "./audit.mjs";

const accounts = new Map([
  ["a", 1_000_000],
  ["b", 1_000_000],
]);
let number = 0;

const commit = () => new Promise((resolve) => setTimeout(resolve, 4));

async function transfer(from, to, amount) {
  await commit();
  accounts.set(from, accounts.get(from) - amount);
  accounts.set(to, accounts.get(to) + amount);
  const entry = { number: ++number, from, to, amount, at: new Date().toISOString() };
  audit(entry);
  return entry;
}

const server = createServer(async (req, res) => {
  const url = new URL(req.url, "http://bank");
  if (url.pathname === "/transfer") {
    const amount = Number(url.searchParams.get("amount") ?? "1");
    const entry = await (number % 2 === 0
      ? transfer("a", "b", amount)
      : transfer("b", "a", amount));
    res.writeHead(200, { "content-type": "application/json" });
    res.end(JSON.stringify(entry));
    return;
  }
  if (url.pathname === "/accounts") {
    res.end(JSON.stringify(Object.fromEntries(accounts)));
    return;
  }
  res.writeHead(404).end();
});

server.listen(process.env.PORT, "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
