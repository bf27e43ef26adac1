// An access log by a stream: lines are collected, written four times a second, and drain is awaited.
import { createWriteStream, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";

const stream = createWriteStream(join(mkdtempSync(join(tmpdir(), "access-")), "access.log"));
let lines = [];
let busy = false;
setInterval(() => {
  if (busy || lines.length === 0) return;
  const text = lines.join("");
  lines = [];
  busy = !stream.write(text);
}, 250);
stream.on("drain", () => {
  busy = false;
});

const app = express();
app.use((req, _res, next) => {
  if (lines.length < 50_000) lines.push(`${Date.now()} ${req.method} ${req.url}\n`);
  next();
});
app.get("/", (_req, res) => res.send("hello"));
app.listen(process.env.PORT ?? 18135, "127.0.0.1");
