// Three servers in one process: HTTP answers after DELAY_MS, TCP counts HTTP's visitors, a REPL shows all of it.
// The book uses it to show that one loop serves many kinds of I/O, and that they share what they know.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createWebServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "node:repl";

const { DELAY_MS = "0", PORT = "0" } = process.env;
const state = { connections: 0, requests: 0, waiting: 0, greeting: "hello world\n" };
const folder = mkdtempSync(join(tmpdir(), "repl-"));
const where = { repl: join(folder, "socket") };

const web = createWebServer((request, response) => {
  if (request.url === "/where") return response.end(JSON.stringify(where));
  state.requests += 1;
  state.waiting += 1;
  setTimeout(() => {
    state.waiting -= 1;
    response.end(state.greeting);
  }, Number(DELAY_MS));
});
web.on("connection", () => (state.connections += 1));

const counter = createServer((socket) => {
  socket.on("error", () => {}); // who asked may be gone
  socket.end(`${state.connections}\n`);
});
counter.listen(0, "127.0.0.1", () => (where.tcp = counter.address().port));

const inspector = createServer((socket) => {
  socket.on("error", () => {});
  const session = start({ prompt: "> ", input: socket, output: socket });
  Object.assign(session.context, { state, web });
  session.on("exit", () => socket.end());
});
// Who reaches this socket runs any code here: it must never exist with another mode, not even briefly.
const mask = process.umask(0o177);
inspector.listen(where.repl);
process.umask(mask);

web.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${web.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
process.once("exit", () => rmSync(folder, { recursive: true }));
