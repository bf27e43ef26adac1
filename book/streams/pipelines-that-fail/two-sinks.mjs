// A source is piped into two sinks; one of them breaks at its first chunk. How many of three chunks does the other get?
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

const moments = {
  "at once": (done) => done(new Error("broke")),
  "a turn later": (done) => setImmediate(done, new Error("broke")),
};

for (const [breaks, fail] of Object.entries(moments)) {
  const source = Readable.from(["one", "two", "three"]);
  const bad = new Writable({ write: (_chunk, _encoding, done) => fail(done) });
  bad.on("error", () => {});
  let got = 0;
  const good = new Writable({
    write(_chunk, _encoding, done) {
      got += 1;
      done();
    },
  });
  source.pipe(bad);
  source.pipe(good);
  await sleep(50);
  console.log(JSON.stringify({ "one sink breaks": breaks, "the other got": got }));
}
