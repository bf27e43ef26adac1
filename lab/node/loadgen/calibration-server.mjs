// A server whose truth is known: answers after exactly delay_ms, with a body of exactly bytes, framed and closed as asked.
// GET /?delay_ms=20&mode=keep-alive|close|every-10&bytes=64&framing=length|chunked|until-close. Used to calibrate load generators.
import { createServer } from "node:net";

const END_OF_REQUEST = "\r\n\r\n";
// Timers are rounded to milliseconds, so the last part of a delay is waited for by looking at the clock.
const WATCHED_MS = 1;
const FRAMINGS = {
  length: (body) => [`Content-Length: ${body.length}\r\n`, body],
  chunked: (body) => [
    "Transfer-Encoding: chunked\r\n",
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ],
  "until-close": (body) => ["", body],
};

const answers = new Map();

// [delayMs, closesEvery, answer, last answer on a connection], built once per path.
function answersFor(path) {
  if (!answers.has(path)) {
    const query = new URL(path, "http://127.0.0.1").searchParams;
    const framing = query.get("framing") ?? "length";
    const [field, body] = FRAMINGS[framing]("x".repeat(Number(query.get("bytes") ?? 64)));
    const closing = { "keep-alive": Infinity, close: 1, "every-10": 10 };
    const closesEvery = framing === "until-close" ? 1 : closing[query.get("mode") ?? "keep-alive"];
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${field}`;
    answers.set(path, {
      delayMs: Number(query.get("delay_ms") ?? 0),
      closesEvery,
      answer: Buffer.from(`${head}\r\n${body}`),
      lastAnswer: Buffer.from(`${head}Connection: close\r\n\r\n${body}`),
    });
  }
  return answers.get(path);
}

function after(delayMs, callback) {
  if (delayMs === 0) return callback();
  const due = performance.now() + delayMs;
  const look = () => (performance.now() >= due ? callback() : setImmediate(look));
  setTimeout(look, Math.max(1, delayMs - WATCHED_MS));
}

const server = createServer({ noDelay: true }, (socket) => {
  let input = "";
  let responseCount = 0;
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    input += chunk.latin1Slice();
    while (input.includes(END_OF_REQUEST)) {
      const { delayMs, closesEvery, answer, lastAnswer } = answersFor(input.split(" ", 2)[1]);
      input = input.slice(input.indexOf(END_OF_REQUEST) + END_OF_REQUEST.length);
      const isLast = ++responseCount % closesEvery === 0;
      after(delayMs, () => (isLast ? socket.end(lastAnswer) : socket.write(answer)));
    }
  });
});

server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.on("SIGTERM", () => process.exit(0));
