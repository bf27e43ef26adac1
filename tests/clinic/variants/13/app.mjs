// A small file for everybody, while a job in the background hashes a batch of tokens again and again.
import { pbkdf2 } from "node:crypto";
import fs from "node:fs";
import { createServer } from "node:http";
import { promisify } from "node:util";

const derive = promisify(pbkdf2);

async function rotate() {
  const tokens = Array.from({ length: 24 }, (_, n) => `token-${n}`);
  await Promise.all(tokens.map((token) => derive(token, "salt", 40_000, 32, "sha512")));
  setTimeout(rotate, 20);
}
rotate();

createServer((_req, res) => {
  fs.readFile(new URL("app.mjs", import.meta.url), (error, text) => {
    res.writeHead(error ? 500 : 200, { "content-type": "text/plain" });
    res.end(text);
  });
}).listen(Number(process.env.PORT ?? 18113), "127.0.0.1");
