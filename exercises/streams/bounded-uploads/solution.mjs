import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";

const { FOLDER = ".", LIMIT = "1048576", PORT = "0" } = process.env;
const TOO_LARGE = "TOO_LARGE";
const statuses = { [TOO_LARGE]: 413, ENOSPC: 507 };

const tooLarge = () => Object.assign(new Error(`more than ${LIMIT} bytes`), { code: TOO_LARGE });

async function* limited(chunks) {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > Number(LIMIT)) throw tooLarge();
    yield chunk;
  }
}

async function save(request, path) {
  if (Number(request.headers["content-length"]) > Number(LIMIT)) throw tooLarge();
  const part = join(FOLDER, `.${randomUUID()}`);
  try {
    // If the disk fails, the request must live: of a destroyed one nobody reads the rest, and who still sends waits.
    const chunks = request.iterator({ destroyOnReturn: false });
    await pipeline(chunks, limited, createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

const server = createServer(async (request, response) => {
  try {
    await save(request, join(FOLDER, basename(request.url)));
    response.writeHead(201).end();
  } catch (error) {
    response.writeHead(statuses[error.code] ?? 500).end();
    request.resume(); // a connection closed under a client that still sends may lose the answer
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
