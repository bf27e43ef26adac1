// A journal which must never lose a line: writeSync, then fsyncSync, before each answer.
import { fsyncSync, mkdtempSync, openSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const journal = openSync(join(mkdtempSync(join(tmpdir(), "journal-")), "journal"), "a");
let number = 0;

const server = createServer();
server.on("request", (req, res) => {
  number += 1;
  writeSync(journal, `${JSON.stringify({ number, url: req.url, at: Date.now() })}\n`);
  fsyncSync(journal);
  res.writeHead(201, { location: `/entries/${number}` }).end();
});
server.listen(Number(process.env.PORT ?? 18128), "127.0.0.1");
