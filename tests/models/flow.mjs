// Every way of six moves through a Writable: what write() returns, what it holds, drain and finish.
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { modelOf, say, ways } from "./_model.mjs";

const model = await modelOf("flow");
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function real(moves, mark) {
  const under_way = [];
  const seen = { said: [], drains: 0, finish: false };
  const stream = new Writable({
    highWaterMark: mark,
    write: (_chunk, _encoding, done) => under_way.push(done),
  });
  stream.on("drain", () => (seen.drains += 1));
  stream.on("finish", () => (seen.finish = true));
  stream.on("error", () => {});
  for (const move of moves) {
    if (move === "write") seen.said.push(stream.write("four"));
    else if (move === "end") stream.end();
    else under_way.shift()();
    await turn();
    await turn();
  }
  return { ...seen, length: stream.writableLength, empty: under_way.length === 0, stream };
}

let cases = 0;
for (const mark of [1, 4, 5, 8, 10, 24])
  for (const { moves, state, refused } of ways(model, 6, { mark })) {
    const seen = await real(moves, mark);
    assert.equal(seen.length, 4 * state.kept, moves.join());
    assert.equal(seen.drains, state.drains, `drain: mark ${mark}, ${moves.join()}`);
    assert.equal(seen.finish, state.end === "finish", moves.join());
    // What write() returned, told move by move.
    const told = globalThis.LabModel.play(model, moves, { mark }).told;
    const returned = told
      .filter((_, i) => moves[i] === "write")
      .map(({ told }) => told.startsWith("<code>true"));
    assert.deepEqual(seen.said, returned, `mark ${mark}, ${moves.join()}`);
    assert.equal(seen.empty, refused.includes("take"));
    if (refused.includes("write")) {
      const code = await new Promise((told) => seen.stream.write("four", (e) => told(e.code)));
      assert.equal(code, "ERR_STREAM_WRITE_AFTER_END");
    }
    cases += 1;
  }
say(cases);
