// A listing by an async generator which goes on as the socket takes it, from small asynchronous reads.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

async function* rows() {
  const text = await readFile(new URL(import.meta.url), "utf8");
  for (const [number, line] of text.split("\n").entries()) {
    yield `${number}\t${line}\n`.repeat(20);
    if (number % 10 === 9) await new Promise(setImmediate);
  }
}

createServer((_req, res) => {
  pipeline(Readable.from(rows()), res).catch(() => res.destroy());
}).listen(process.env.PORT ?? 18140, "127.0.0.1");
