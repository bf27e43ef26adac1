// Takes an upload, hashes it and writes it to a file (or to TO), HOW it is told: stream, or collect (all of it first).
// The book uses it to show what a movie costs that is collected in memory. Tells the hash of what came and of the file.
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const { HOW = "stream", PORT = "0", TO } = process.env;
const folder = mkdtempSync(join(tmpdir(), "upload-"));

async function save(request, path) {
  const hash = createHash("sha256");
  const hashing = async function* (chunks) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  // If the disk fails, the request must live: of a destroyed one nobody reads the rest, and who still sends waits.
  const chunks = request.iterator({ destroyOnReturn: false });
  const body = HOW === "collect" ? [Buffer.concat(await request.toArray())] : chunks;
  const file = createWriteStream(path);
  await pipeline(body, hashing, file);
  return { bytes: file.bytesWritten, sha256: hash.digest("hex") };
}

/** The hash of what is in the file, and not of what we believe that we wrote. */
async function readBack(path) {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}

const words = { ENOSPC: "the disk is full", EMFILE: "too many files are open" };
const server = createServer(async (request, response) => {
  if (request.method === "GET") return response.end("send me a movie\n");
  const path = TO || join(folder, randomUUID()); // two uploads must not share a file
  try {
    response.write(`${JSON.stringify(await save(request, path))}\n`);
    response.end(`${JSON.stringify({ read_back: await readBack(path) })}\n`);
  } catch (error) {
    if (response.headersSent) return response.destroy();
    const why = words[error.code] ?? error.message;
    request.resume(); // what is still coming is read, and dropped
    response.writeHead(507).end(`${why}: ${path}\n`);
  } finally {
    if (!TO) rmSync(path, { force: true });
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
process.once("exit", () => rmSync(folder, { recursive: true }));
