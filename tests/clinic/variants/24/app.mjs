// A feed of readings: push() says when it is enough, nobody listens, and the writer lags behind.
import { createServer } from "node:http";
import { Readable, Writable } from "node:stream";

const feed = new Readable({ objectMode: true, read() {} });
setInterval(() => {
  for (let n = 0; n < 40; n += 1) feed.push({ n, at: Date.now(), raw: new Array(1000).fill(n) });
}, 20);

let stored = 0;
const store = new Writable({
  objectMode: true,
  write(reading, _encoding, done) {
    stored += reading.raw.length;
    setTimeout(done, 5);
  },
});
feed.pipe(store);

createServer((_req, res) => {
  res.setHeader("content-type", "application/json");
  res.end(JSON.stringify({ stored }));
}).listen(process.env.PORT ?? 18124, "127.0.0.1");
