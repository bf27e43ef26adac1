// Files with their length, their date and ranges, each read as a stream.
import { createReadStream } from "node:fs";
import { mkdtemp, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";

const root = await mkdtemp(join(tmpdir(), "site-"));
await writeFile(join(root, "manual.txt"), "A page of the manual.\n".repeat(9_000));

createServer(async (req, res) => {
  try {
    const file = join(root, normalize(new URL(req.url, "http://localhost").pathname));
    const { size, mtime } = await stat(file);
    res.writeHead(200, { "content-length": size, "last-modified": mtime.toUTCString() });
    await pipeline(createReadStream(file), res);
  } catch (error) {
    if (!res.headersSent) res.writeHead(error.code === "ENOENT" ? 404 : 500).end();
  }
}).listen(process.env.PORT ?? 18149);
