// synchronous logging: an audit that is on the disk before the answer is sent; in Express
import { fsyncSync, mkdtempSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";

const audit = openSync(join(mkdtempSync(join(tmpdir(), "app-")), "audit.log"), "a");
const app = express();
app.use((request, _response, next) => {
  writeSync(audit, `${new Date().toISOString()} ${request.method} ${request.url}\n`);
  fsyncSync(audit);
  next();
});
app.get("/", (_request, response) => response.json({ ok: true }));
app.listen(Number(process.env.PORT), "127.0.0.1");
