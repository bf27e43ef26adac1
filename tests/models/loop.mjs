// Ways through three lines with an await: who reads and writes what, in Node, and that what the model refuses does not come to pass.
import assert from "node:assert/strict";
import { modelOf, say, until, ways } from "./_model.mjs";

const model = await modelOf("loop");
const AWAY_MS = 400; // long enough for all who come before the store answers

/** Make the moves of visitors, each request in a callback of its own; wait where somebody goes on. */
async function real(way, moves, atOnce = false) {
  const log = [];
  let stored = 0;
  const travel =
    way === "microtask" ? () => null : () => new Promise((r) => setTimeout(r, AWAY_MS));
  const count = async (who) => {
    const number = stored;
    log.push(`${who} reads ${number}`);
    await travel();
    stored = number + 1;
    log.push(`${who} writes ${stored}`);
  };
  let last = Promise.resolve();
  const locked = (who) => {
    last = last.then(() => count(who));
    return last;
  };
  const ask = way === "lock" ? locked : count;
  const writes = () => log.filter((line) => line.includes("writes")).length;
  let gone = 0;
  let held = []; // comes in callbacks that follow each other, before anything else may
  const come = async () => {
    const some = held;
    held = [];
    await Promise.all(
      some.map((who) => new Promise((resolve) => setImmediate(() => resolve(void ask(who))))),
    );
  };
  for (const move of moves) {
    if (!move.startsWith("on ")) held.push(move);
    if (!move.startsWith("on ") && atOnce) continue;
    await come();
    if (!move.startsWith("on ")) continue;
    gone += 1;
    await until(() => writes() >= gone, `${move} of ${moves}`);
  }
  await come();
  const some = [...log];
  const begun = () => log.filter((line) => line.includes("reads")).length;
  const all = moves.filter((move) => !move.startsWith("on ")).length;
  await until(() => writes() === all && begun() === all, "the end");
  return { some, log, stored };
}

let cases = 0;
const two = (id) => !id.endsWith("Cy");
for (const way of ["timer", "microtask", "lock"]) {
  const whole = [...ways(model, 5, { way }, two)].filter(
    ({ state, moves }) => state.waiting.length === 0 && state.line.length === 0 && moves.length > 1,
  );
  await Promise.all(
    whole.map(async ({ moves, state }) => {
      const seen = await real(way, moves);
      assert.deepEqual(seen.log, state.log, `${way}: ${moves}`);
      assert.equal(seen.stored, state.stored);
      cases += 1;
    }),
  );
}
// Refused: Bob goes on before Ann, who asked first.
for (const way of ["timer", "microtask"]) {
  const { log } = await real(way, ["Ann", "Bob"], true);
  assert.ok(log.indexOf("Ann writes 1") < log.findIndex((line) => line.startsWith("Bob writes")));
  // Refused with null alone: Bob reads before Ann goes on.
  const before =
    log.findIndex((line) => line.startsWith("Bob reads")) < log.indexOf("Ann writes 1");
  assert.equal(before, way === "timer");
  cases += 1;
}
say(cases);
