// An access control that turns the caller's address into a name, as old web servers did for logs.
import { Resolver } from "node:dns/promises";
import express from "express";
import { nameServer } from "../16/resolver.mjs";

const resolver = new Resolver();
resolver.setServers([await nameServer(60)]);

const app = express();
app.use(async (req, _res, next) => {
  const backwards = req.socket.remoteAddress.split(".").reverse().join(".");
  req.hostName = await resolver.resolvePtr(`${backwards}.in-addr.arpa`).catch(() => ["unknown"]);
  next();
});
app.get("/", (req, res) => res.type("text").send(`hello ${req.hostName[0]}\n`));
app.listen(Number(process.env.PORT ?? 18119), "127.0.0.1");
