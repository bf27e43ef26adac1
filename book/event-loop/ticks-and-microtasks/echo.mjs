// A TCP echo server that calls itself again and again for a while, by HOW; started by starve.mjs.
import { createServer } from "node:net";

const { HOW, AFTER_MS, FOR_MS } = process.env;
const ways = {
  nothing: () => {},
  "process.nextTick": process.nextTick,
  queueMicrotask: queueMicrotask,
  await: async (again) => again(await null),
  setImmediate: setImmediate,
  "setTimeout 0": (again) => setTimeout(again, 0),
};
const callAgain = ways[HOW];

// one clock for all processes
const now = () => Number(process.hrtime.bigint()) / 1e6;
const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;
let beats = 0;
setInterval(() => (beats += 1), 5);

const recurse = () => {
  const from = now();
  const before = { turns: turns(), beats };
  let calls = 0;
  const finish = () => {
    const counts = { turns: turns() - before.turns, beats: beats - before.beats };
    process.send({ from, to: now(), calls, ...counts });
  };
  const again = () => {
    calls += 1;
    if (now() < from + Number(FOR_MS)) callAgain(again);
    else finish();
  };
  again();
  if (calls === 1 && HOW === "nothing") setTimeout(finish, Number(FOR_MS));
};

const server = createServer((socket) => {
  socket.setNoDelay(true).on("data", (bytes) => socket.write(bytes));
  socket.on("error", () => {});
  setTimeout(recurse, Number(AFTER_MS));
});
// end of the server
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("disconnect", () => process.exit());
