import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { resolve, sep } from "node:path";

const { FOLDER = ".", PORT = "0" } = process.env;
const root = resolve(FOLDER);

/** The path of a file in the folder, or null if the address means none. */
function within(url) {
  try {
    const path = resolve(root, `.${decodeURIComponent(url.split("?")[0])}`);
    return path.startsWith(root + sep) && !path.includes("\0") ? path : null;
  } catch {
    return null; // %zz is no encoding
  }
}

/** First and last byte; undefined if the header is none that we know, null if there are no such bytes. */
function range(header, size) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (!first && !last) return undefined;
  if (!first)
    return Number(last) > 0 && size > 0 ? [Math.max(0, size - Number(last)), size - 1] : null;
  if (last && Number(last) < Number(first)) return undefined;
  return Number(first) < size
    ? [Number(first), Math.min(last ? Number(last) : size, size - 1)]
    : null;
}

async function send(request, response) {
  const path = within(request.url);
  const found = path && (await stat(path).catch(() => null));
  if (!found?.isFile()) return response.writeHead(404).end();
  const { size } = found;
  const asked = range(request.headers.range, size);
  if (asked === null) return response.writeHead(416, { "content-range": `bytes */${size}` }).end();
  const [start, end] = asked ?? [0, size - 1];
  const headers = {
    "accept-ranges": "bytes",
    "content-length": end - start + 1,
    "content-type": "application/octet-stream",
  };
  if (asked) headers["content-range"] = `bytes ${start}-${end}/${size}`;
  if (request.method === "HEAD" || size === 0)
    return response.writeHead(asked ? 206 : 200, headers).end();
  const file = createReadStream(path, { start, end });
  file.once("error", () => response.headersSent || response.writeHead(404).end());
  file.once("open", () => {
    response.writeHead(asked ? 206 : 200, headers);
    file.pipe(response);
  });
}

const server = createServer((request, response) => {
  send(request, response);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
