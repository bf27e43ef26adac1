// How often two pairs of writes reach the stream: uncorked at once, and on the next tick.
import { Writable } from "node:stream";

const calls = async (uncork) => {
  let count = 0;
  const written = (done) => {
    count += 1;
    setImmediate(done);
  };
  const stream = new Writable({
    write: (_chunk, _encoding, done) => written(done),
    writev: (_chunks, done) => written(done),
  });
  for (let pair = 0; pair < 2; pair++) {
    stream.cork();
    stream.write("one");
    stream.write("two");
    uncork(stream);
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  return count;
};
console.log(
  JSON.stringify({ uncork: "at once", "calls of the sink": await calls((s) => s.uncork()) }),
);
console.log(
  JSON.stringify({
    uncork: "on the next tick",
    "calls of the sink": await calls((s) => process.nextTick(() => s.uncork())),
  }),
);
