// The sheet of node/qr made by an addon in Rust; HOW says where: loop, pool (libuv's), or thread.
// The book uses it as the published service, and to tell the language from the thread.
import { createServer } from "node:http";
import { createRequire } from "node:module";

const { PORT = "0", HOW } = process.env;
const count = 8; // codes a sheet

// Built from servers/rust/qr by `make addons`.
const addon = createRequire(import.meta.url)("../rust/qr/target/qr.node");
const ways = { loop: addon.onTheLoop, pool: addon.inThePool, thread: addon.inAThread };
const make = ways[HOW];
if (!make) throw new Error(`HOW=${HOW}: loop, pool or thread`);

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  response.setHeader("content-type", "text/plain; charset=utf-8");
  const text = searchParams.get("text") ?? "https://nodejs.org/en/learn/asynchronous-work";
  try {
    response.end(pathname === "/ping" ? "pong\n" : await make(text, count));
  } catch (error) {
    response.writeHead(400).end(`${error.message}\n`); // too long for a QR code
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
