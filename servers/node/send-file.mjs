// Sends FILE, HOW it is told: read (fs.readFile), cached (read once), or stream, which knows ranges and HEAD, too.
// The book uses it to show what each way costs in time to the first byte and in memory for each client.
import { createReadStream, readFile, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { pipeline } from "node:stream";

const { CHUNK = "65536", FILE, HOW = "stream", PORT = "0" } = process.env;
const size = statSync(FILE).size;
const kept = HOW === "cached" ? readFileSync(FILE) : null;

/** First and last byte that a Range header asks for: none if it asks for nothing that we know, null if there are no such bytes. */
function range(header) {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (!first && !last) return undefined;
  if (!first) return Number(last) > 0 ? [Math.max(0, size - Number(last)), size - 1] : null;
  if (last && Number(last) < Number(first)) return undefined; // ends before it begins: no range at all
  const end = last ? Math.min(Number(last), size - 1) : size - 1;
  return Number(first) <= end ? [Number(first), end] : null;
}

function stream(request, response) {
  const wanted = range(request.headers.range);
  if (wanted === null) {
    return response.writeHead(416, { "content-range": `bytes */${size}` }).end();
  }
  const [start, end] = wanted ?? [0, size - 1];
  const headers = { "accept-ranges": "bytes", "content-length": end - start + 1 };
  if (wanted) headers["content-range"] = `bytes ${start}-${end}/${size}`;
  const file = createReadStream(FILE, { start, end, highWaterMark: Number(CHUNK) });
  file.once("error", (error) => response.headersSent || refuse(response, error));
  file.once("open", () => {
    response.writeHead(wanted ? 206 : 200, headers);
    pipeline(file, response, () => {}); // whoever leaves, both are closed; HEAD sends no body
  });
}

const refuse = (response, error) => response.writeHead(503).end(`${error.code}\n`);

const server = createServer((request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (HOW === "stream") return stream(request, response);
  if (HOW === "cached") return response.end(kept);
  readFile(FILE, (error, content) => (error ? refuse(response, error) : response.end(content)));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
