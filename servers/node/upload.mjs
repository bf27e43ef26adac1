// Takes an upload, hashes it and writes it to TO, HOW it is told: stream, or collect (all of it first). Tells the hash.
// The book uses it to show what a movie costs that is collected in memory before it is written.
import { createHash } from "node:crypto";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const { HOW = "stream", PORT = "0" } = process.env;
const folder = mkdtempSync(join(tmpdir(), "upload-"));
const TO = process.env.TO || join(folder, "movie");

async function save(request) {
  const hash = createHash("sha256");
  const hashing = async function* (chunks) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  // If the disk fails, the request must live: destroyed, it would take the answer with it.
  const chunks = request.iterator({ destroyOnReturn: false });
  const body = HOW === "collect" ? [Buffer.concat(await request.toArray())] : chunks;
  const file = createWriteStream(TO);
  await pipeline(body, hashing, file);
  return { bytes: file.bytesWritten, sha256: hash.digest("hex") };
}

const words = { ENOSPC: "the disk is full", EMFILE: "too many files are open" };
const server = createServer(async (request, response) => {
  if (request.method === "GET") return response.end("send me a movie\n");
  try {
    response.end(JSON.stringify(await save(request)));
  } catch (error) {
    const why = words[error.code] ?? error.message;
    request.resume(); // what is still coming is read, and dropped
    response.writeHead(507).end(`${why}: ${TO}\n`);
  } finally {
    if (TO.startsWith(folder)) rmSync(TO, { force: true });
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
process.once("exit", () => rmSync(folder, { recursive: true }));
