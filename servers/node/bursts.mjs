// Answers with a line of text; beside that, every EVERY_MS, a job of small steps that takes BURST_MS, put into pieces by HOW.
// The book uses it to see which way of going on with a job lets requests in between its steps.
import { createServer } from "node:http";

const {
  PORT = "0",
  HOW = "none",
  BURST_MS = "40",
  EVERY_MS = "100",
  STEP_US = "100",
} = process.env;

// how one step of the job calls the next
const ways = {
  none: undefined,
  nextTick: process.nextTick,
  microtask: queueMicrotask,
  immediate: setImmediate,
  timeout: (step) => setTimeout(step, 0),
};
if (!(HOW in ways)) throw new Error(`HOW=${HOW}: one of ${Object.keys(ways).join(", ")}`);

const steps = (1000 * Number(BURST_MS)) / Number(STEP_US);
const job = (step = 0) => {
  if (step >= steps) return setTimeout(job, Number(EVERY_MS));
  const end = performance.now() + Number(STEP_US) / 1000;
  while (performance.now() < end); // what a step computes
  ways[HOW](() => job(step + 1));
};
if (ways[HOW]) setTimeout(job, Number(EVERY_MS));

const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.end("here\n");
});
// end of the server

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
