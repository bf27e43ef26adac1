// An access log and a debug log, both by appendFileSync, several lines for each request.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import express from "express";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "logs-"));
const log = (name, line) => {
  const file = path.join(folder, name);
  if (fs.existsSync(file) && fs.statSync(file).size > 1e6) fs.renameSync(file, `${file}.1`);
  fs.appendFileSync(file, `${Date.now()} ${line}\n`);
};

const app = express();
app.use((req, res, next) => {
  for (const [name, value] of Object.entries(req.headers)) log("debug.log", `${name}: ${value}`);
  for (const step of ["session", "cart", "prices", "stock"]) {
    for (let n = 0; n < 5; n += 1) log("debug.log", `${step} ${n} of 5`);
  }
  res.on("finish", () => log("access.log", `${req.method} ${req.url} ${res.statusCode}`));
  next();
  log("debug.log", "handler was called");
});
app.get("/", (_req, res) => res.send("hello"));
app.listen(process.env.PORT ?? 18126, "127.0.0.1");
