// Two workers of a cluster; each prints the whole order for every request.
const cluster = require("node:cluster");
const express = require("express");

const order = {
  customer: { name: "Ann", street: "Main Street 1" },
  lines: Array.from({ length: 60 }, (_, n) => ({ article: `a-${n}`, count: n, price: n * 1.5 })),
};

if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else {
  const app = express();
  app.get("/order", (req, res) => {
    console.log("%s wants", req.ip);
    for (const line of order.lines) console.log(JSON.stringify(line));
    console.error("no discount for", order.customer.name);
    res.json(order);
  });
  app.listen(18130, "127.0.0.1");
}
