// Checks a password, and reads the page that somebody gets who is let in.
import { scrypt, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { promisify } from "node:util";

const { PORT = "0" } = process.env;
const derive = promisify(scrypt);
const expected = await derive("secret", "salt", 32, { N: 4096 });

const server = createServer(async (_request, response) => {
  const key = await derive("secret", "salt", 32, { N: 4096 });
  if (!timingSafeEqual(key, expected)) return response.writeHead(403).end();
  response.end(await readFile(new URL(import.meta.url)));
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
