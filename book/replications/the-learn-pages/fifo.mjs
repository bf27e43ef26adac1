// In which order callbacks leave the queue of their phase. They are put in as 1, 2, 3.
import { connect, createServer } from "node:net";

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const queue = async (phase, put) => {
  const out = [];
  for (const n of [1, 2, 3]) put(n, () => out.push(n));
  await later(60);
  console.log(JSON.stringify({ phase, "put in": "1 2 3", "came out": out.join(" ") }));
};

await queue("check", (_, take) => setImmediate(take));
await queue("timers of 5 ms", (_, take) => setTimeout(take, 5));

const server = createServer((socket) => socket.resume());
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const opened = [1, 2, 3].map(
  () =>
    new Promise((done) =>
      connect(server.address().port, "127.0.0.1", function () {
        done(this);
      }),
    ),
);
const sockets = await Promise.all(opened);
await queue("close", (n, take) => sockets[n - 1].on("close", take).destroy());
server.close();
