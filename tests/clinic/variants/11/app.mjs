// Registration: scrypt hashes the password off the loop, then the terms are read from their file.
import { randomBytes, scrypt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import express from "express";

const hash = promisify(scrypt);

const app = express();
app.get("/register", async (req, res) => {
  const key = await hash(String(req.query.password ?? "secret"), randomBytes(16), 64);
  const terms = await readFile(new URL(import.meta.url), "utf8");
  res.json({ key: key.toString("hex"), terms: terms.length });
});
app.listen(process.env.PORT ?? 18111, "127.0.0.1");
