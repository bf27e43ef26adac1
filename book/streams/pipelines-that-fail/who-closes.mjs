// A source, a step that breaks at the second chunk, a sink; joined in five ways. Who is destroyed in the end, and
// who hears of it? The first way has no listener for the error: it runs in a process of its own.
import { fork } from "node:child_process";
import { once } from "node:events";
import { pipeline, Readable, Transform, Writable } from "node:stream";
import { pipeline as joined } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { print } from "../shared/asking.mjs";

const parts = (breaks = true) => {
  let chunks = 0;
  const source = new Readable({
    read() {
      setImmediate(() => this.push("chunk"));
    },
  });
  const step = new Transform({
    transform: (chunk, _, done) =>
      done(breaks && ++chunks === 2 ? new Error("broke") : null, chunk),
  });
  const sink = new Writable({ write: (_chunk, _encoding, done) => setImmediate(done) });
  return [source, step, sink];
};

const heard = [];
const ways = {
  "pipe, no listener": ([a, b, c]) => a.pipe(b).pipe(c),
  "pipe, one listener": ([a, b, c]) =>
    a
      .pipe(b)
      .on("error", (e) => heard.push(e.message))
      .pipe(c),
  pipeline: ([a, b, c]) => pipeline(a, b, c, (e) => heard.push(e?.message ?? "end")),
  "for await": async ([a, b, c]) => {
    try {
      for await (const chunk of a.pipe(b)) c.write(chunk);
    } catch (e) {
      heard.push(e.message);
    }
  },
  "pipeline with a signal": ([a, b, c]) =>
    joined(a, b, c, { signal: AbortSignal.timeout(20) }).catch((e) => heard.push(e.name)),
};

if (process.argv[2] === "alone") ways["pipe, no listener"](parts());
else {
  for (const [way, join] of Object.entries(ways)) {
    if (way === "pipe, no listener") {
      const child = fork(process.argv[1], ["alone"], { silent: true });
      const [code] = await once(child, "exit");
      print({ way, source: "–", step: "–", sink: "–", heard: `process ended with code ${code}` });
      continue;
    }
    const streams = parts(way !== "pipeline with a signal");
    heard.length = 0;
    join(streams);
    await sleep(60);
    const [source, step, sink] = streams.map((s) => (s.destroyed ? "destroyed" : "still open"));
    print({ way, source, step, sink, heard: heard.join(", ") || "nothing" });
    for (const stream of streams) stream.on("error", () => {}).destroy();
  }
  process.exit();
}
