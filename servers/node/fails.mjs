// Answers after WORK_MS, except on four paths, which fail in four ways; THEN says what happens after that.
// The book uses it to measure what a failure costs the client whose request fails, and all waiting clients.
import { AsyncLocalStorage } from "node:async_hooks";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";

const { PORT = "0", WORK_MS = "200", GRACE_MS = "5000", THEN = "ends at once" } = process.env;
const whose = new AsyncLocalStorage(); // the response for which the code runs

// ways to fail
const fail = () => {
  throw new Error("nobody expected this");
};
const ways = {
  "/throws": () => fail(),
  "/rejects": async () => fail(),
  "/later": () => void setTimeout(fail),
  "/emits": (response) => createReadStream("/no/such/file").pipe(response),
};
const handle = (request, response) =>
  (ways[request.url] ?? (() => void setTimeout(() => response.end("answer\n"), WORK_MS)))(response);

// what happens then
const refuse = (response) => response?.writeHead(500).end("failed\n");
const caught = async (request, response) => {
  try {
    await handle(request, response);
  } catch {
    refuse(response);
  }
};
const endWell = () => {
  refuse(whose.getStore()); // the client whose request failed
  process.send?.("another one, please"); // to a supervisor
  server.close(() => process.exit(1)); // accept no new requests, finish the others
  setTimeout(() => process.exit(1), GRACE_MS).unref();
};
const stored = (request, response) => whose.run(response, async () => handle(request, response));
const { handler = handle, listener } = {
  "ends at once": {}, // which is what Node does
  "goes on": { listener: (error) => console.error(error.message) },
  "is caught": { handler: caught },
  "ends well": { handler: stored, listener: endWell },
}[THEN];
const server = createServer(handler);
if (listener) process.on("uncaughtException", listener);
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
