// Passwords are hashed two at a time, so that two threads stay free; who waits, waits in a queue.
import { scrypt } from "node:crypto";
import { promisify } from "node:util";
import express from "express";
import pLimit from "p-limit";

const hash = promisify(scrypt);
const twoAtATime = pLimit(2);

const app = express();
app.get("/hash", async (req, res) => {
  const word = String(req.query.word ?? "secret");
  const key = await twoAtATime(() => hash(word, "salt", 32, { N: 4096 }));
  res.send(key.toString("hex"));
});
app.listen(process.env.PORT ?? 18139, "127.0.0.1");
