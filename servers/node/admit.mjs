// Asks something that serves one request at a time, SERVICE_MS each; WHO says which requests may wait for it.
// The book uses it for overload: what a server without a bound does, and three ways of turning work away.
import { createServer } from "node:http";

const {
  PORT = "0",
  SERVICE_MS = "10",
  WHO = "everybody",
  LIMIT = "20",
  OLDEST_MS = "200",
} = process.env;
const waiting = [];
let serving = false;

// what is different: who may join the queue, who is next, and who is passed over
const ways = {
  everybody: {},
  "a few": { admits: () => waiting.length < Number(LIMIT) },
  "the newest": { takes: () => waiting.pop() },
  "who is still here": { skips: ({ response }) => response.closed },
  "the fresh": { skips: ({ since }) => performance.now() - since > Number(OLDEST_MS) },
};
if (!(WHO in ways)) throw new Error(`WHO=${WHO}: one of ${Object.keys(ways).join(", ")}`);
const { admits = () => true, takes = () => waiting.shift(), skips = () => false } = ways[WHO];

const refuse = (response) => response.writeHead(503, { "retry-after": "1" }).end("try later\n");
const next = () => {
  serving = waiting.length > 0;
  if (!serving) return;
  const job = takes();
  if (skips(job)) {
    refuse(job.response);
    return next();
  }
  // A database, a disk, a processor: here a timer stands for it.
  setTimeout(() => {
    job.response.end("served\n");
    next();
  }, Number(SERVICE_MS));
};

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (!admits()) return refuse(response);
  waiting.push({ response, since: performance.now() });
  if (!serving) next();
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
