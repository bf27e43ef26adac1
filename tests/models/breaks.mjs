// Every way to join three streams, and everything that may break: who is destroyed, who hears, whether the process ends.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { pipeline, Readable, Transform, Writable } from "node:stream";
import { modelOf, say, until } from "./_model.mjs";

const PARTS = ["source", "step", "sink"];

async function alone(way, id) {
  let [taken, asked] = [0, 0];
  const source = new Readable({
    read() {
      setImmediate(() => this.push("chunk"));
    },
  });
  const step = new Transform({ transform: (chunk, _, done) => done(null, chunk) });
  const sink = new Writable({
    write(_chunk, _encoding, done) {
      taken += 1;
      setImmediate(done);
    },
  });
  const write = sink.write.bind(sink);
  sink.write = (...chunk) => {
    asked += 1;
    return write(...chunk);
  };
  const streams = { source, step, sink };
  const heard = [];
  if (way === "listeners")
    for (const part of PARTS) streams[part].on("error", (e) => heard.push(`${part}: ${e.message}`));
  if (way === "pipe" || way === "listeners") source.pipe(step).pipe(sink);
  else if (way === "pipeline") pipeline(source, step, sink, (e) => heard.push(e.code ?? e.message));
  else
    (async () => {
      try {
        for await (const chunk of source.pipe(step)) sink.write(chunk);
      } catch (e) {
        heard.push(e.message);
      }
    })();
  await until(() => taken > 2, "chunks");
  const broken = id === "leaves" ? "sink" : id;
  const closed = new Promise((resolve) => streams[broken].on("close", resolve)); // once() would listen for errors
  streams[broken].destroy(id === "leaves" ? undefined : new Error("broke"));
  await closed;
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
  const before = asked;
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
  const parts = Object.fromEntries(
    PARTS.map((part) => [part, streams[part].destroyed ? "destroyed" : "open"]),
  );
  process.send({ parts, heard: heard.join(", "), goesOn: asked > before }, () => process.exit());
}

if (process.send) await alone(process.argv[2], process.argv[3]);
else {
  const model = await modelOf("breaks");
  let cases = 0;
  for (const [way] of model.knobs[0].options)
    for (const { id } of model.moves()) {
      const child = fork(process.argv[1], [way, id], { silent: true });
      let seen = null;
      child.on("message", (message) => (seen = message));
      // Its last words may come after its end: nothing more comes once the channel is closed.
      const [[code]] = await Promise.all([once(child, "exit"), once(child, "disconnect")]);
      const { state, told } = globalThis.LabModel.play(model, [id], { way });
      const name = `${way}, ${id}`;
      assert.equal(code, state.ended ? 1 : 0, name);
      assert.equal(seen === null, state.ended, name);
      if (seen) {
        assert.deepEqual(seen.parts, state.parts, name);
        assert.equal(seen.heard, state.heard, name);
        assert.equal(
          told[0].told.includes("the loop goes on"),
          way === "for await" && seen.goesOn,
          name,
        );
      }
      cases += 1;
    }
  say(cases);
}
