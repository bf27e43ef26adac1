// Answers after DELAY_MS, to the tenth of a millisecond, and says how long it really held the request.
// The book uses it as a known truth to check the instruments against, and as "a slow database".
import { createServer } from "node:http";

const { PORT = "0", DELAY_MS = "20", KEEP_ALIVE = "keep" } = process.env;
const delay = Number(DELAY_MS);
const perConnection = { keep: Number.POSITIVE_INFINITY, close: 1, every10: 10 }[KEEP_ALIVE];
if (!(delay >= 0) || !perConnection) {
  throw new Error(`DELAY_MS=${DELAY_MS} KEEP_ALIVE=${KEEP_ALIVE}: number, keep|close|every10`);
}

// A timer of Node counts whole milliseconds on a clock read once per loop turn, so it may fire a
// millisecond early or late: wait with it for most of the time, then turn the loop until it is time.
const held = (since, done) => {
  const left = since + delay - performance.now();
  if (left <= 0) done(performance.now() - since);
  else if (left > 2.5) setTimeout(held, left - 2, since, done);
  else setImmediate(held, since, done);
};

const server = createServer((request, response) => {
  const { socket } = request;
  socket.answered = (socket.answered ?? 0) + 1;
  if (socket.answered >= perConnection) response.setHeader("connection", "close");
  held(performance.now(), (ms) => {
    response.setHeader("content-type", "text/plain; charset=utf-8");
    response.setHeader("server-timing", `held;dur=${ms.toFixed(3)}`);
    response.end("waited\n");
  });
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
