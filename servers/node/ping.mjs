// Answers GET /ping at once, and everything else after it has hashed for 500 ms; HOW and SLICE_MS say with which breaks.
// The book uses it for its first page: how long a ping waits beside a handler that hashes, and what lets it in.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const { PORT = "0", HOW = "plain", SLICE_MS = "5" } = process.env;
let [hashes, pings] = [0, 0];
const said = () => `${hashes} hashes and ${pings} pings so far\n`;

const hashFor = (ms) => {
  const end = performance.now() + ms;
  do {
    createHash("sha256").update("a text").digest("hex");
    hashes += 1;
  } while (performance.now() < end);
};

const plain = (response) => {
  hashFor(500);
  response.end(said());
};

const withAsync = async (response) => {
  hashFor(500);
  response.end(said());
};

const withAwait = async (response) => {
  for (const end = performance.now() + 500; performance.now() < end; ) {
    hashFor(Number(SLICE_MS));
    await Promise.resolve();
  }
  response.end(said());
};

const withSetImmediate = async (response) => {
  for (const end = performance.now() + 500; performance.now() < end; ) {
    hashFor(Number(SLICE_MS));
    await new Promise(setImmediate);
  }
  response.end(said());
};

const handler = { plain, async: withAsync, await: withAwait, setImmediate: withSetImmediate }[HOW];
if (!handler) throw new Error(`HOW=${HOW}: plain, async, await or setImmediate`);
const server = createServer((request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url !== "/ping") return handler(response);
  pings += 1;
  response.end("pong\n");
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
