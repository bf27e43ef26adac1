// A download of some megabytes, from its file to the socket by pipeline.
import { createReadStream, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const file = join(mkdtempSync(join(tmpdir(), "download-")), "film");
writeFileSync(file, Buffer.alloc(4 * 1024 * 1024, "film "));

createServer(async (_req, res) => {
  res.writeHead(200, { "content-type": "application/octet-stream" });
  try {
    await pipeline(createReadStream(file), res);
  } catch {
    res.destroy();
  }
}).listen(process.env.PORT ?? 18132, "127.0.0.1");
