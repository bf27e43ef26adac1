// Files with their length and their date, asked of an open handle; the body is read beside it.
import { createReadStream } from "node:fs";
import { mkdtemp, open, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";

const root = await mkdtemp(join(tmpdir(), "site-"));
await writeFile(join(root, "manual.txt"), "A page of the manual.\n".repeat(9_000));
const handles = new Map();
let served = 0;

createServer(async (req, res) => {
  try {
    const file = join(root, normalize(new URL(req.url, "http://localhost").pathname));
    const handle = await open(file);
    const { size, mtime } = await handle.stat();
    await pause(5);
    res.writeHead(200, { "content-length": size, "last-modified": mtime.toUTCString() });
    await pipeline(createReadStream(file), res);
    if (++served % 10) await handle.close();
    else handles.set(served, handle);
  } catch (error) {
    if (!res.headersSent) res.writeHead(error.code === "ENOENT" ? 404 : 500).end();
  }
}).listen(process.env.PORT ?? 18150);
