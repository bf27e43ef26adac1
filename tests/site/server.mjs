// A static host as a reader meets one: compresses text, has a page for what does not exist, maybe in a folder.

import { createReadStream, existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".ipynb": "application/x-ipynb+json",
  ".md": "text/markdown; charset=utf-8",
};
const TEXT = /html|css|javascript|json|svg|markdown/;

/** Serve a folder; `url` ends with a slash, `sent` lists what was sent: path, type and bytes, until it is emptied. */
export async function serve(folder, { below = "/" } = {}) {
  const gzippedFiles = new Map(); // compressed once; a site does not change under a test
  const responses = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    const inside = path.startsWith(below) ? path.slice(below.length) : null;
    let file = inside === null ? "" : join(folder, normalize(`/${inside}`));
    if (file.endsWith("/") || (existsSync(file) && statSync(file).isDirectory()))
      file = join(file, "index.html");
    const exists = existsSync(file);
    if (!exists) file = join(folder, "404.html");
    if (!existsSync(file)) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    const head = { "content-type": type, "cache-control": "max-age=600" };
    const note = (bytes) => responses.push({ path, type, bytes });
    if (!TEXT.test(type)) {
      note(statSync(file).size);
      response.writeHead(exists ? 200 : 404, head);
      return createReadStream(file).pipe(response);
    }
    if (!gzippedFiles.has(file)) gzippedFiles.set(file, gzipSync(readFileSync(file)));
    note(gzippedFiles.get(file).length);
    response.writeHead(exists ? 200 : 404, { ...head, "content-encoding": "gzip" });
    return response.end(gzippedFiles.get(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${below}`,
    sent: responses,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
