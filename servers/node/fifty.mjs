// Computes 5 ms and waits 45 ms. HOW says who waits: the loop, a thread of the pool, or only a timer.
// The book uses it as the example of Node's guide: what is gained by not blocking for 45 of 50 ms?
import { write, writeSync } from "node:fs";
import { createServer } from "node:http";

const { PORT = "0", HOW = "timer", FIRST = "compute", WAITS = "equal", DEVICES = "" } = process.env;
const devices = DEVICES.split(",").map(Number);
const block = Buffer.alloc(128 * 1024); // more than a pipe holds: the call is done when it is taken
let jobs = 0;
const device = () => devices[jobs++ % devices.length];

// ways to wait
const waits = {
  loop: (done) => done(writeSync(device(), block)),
  pool: (done) => write(device(), block, done),
  timer: (done) => setTimeout(done, WAITS === "equal" ? 45 : -45 * Math.log(1 - Math.random())),
};
const wait = waits[HOW];
if (!wait) throw new Error(`HOW=${HOW}: one of ${Object.keys(waits).join(", ")}`);

const compute = () => {
  const until = performance.now() + 5;
  while (performance.now() < until);
};

const server = createServer((_request, response) => {
  if (FIRST === "compute") compute();
  wait(() => {
    if (FIRST === "wait") compute();
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.end("fifty\n");
  });
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
