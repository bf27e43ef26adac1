// What judges a hand-in on the model: which programs of a check run, what a program that computes is told, and what is kept of one.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { judge } from "../../lab/simulator/check/judge.js";
import { commonTexts, textsOf } from "../../lab/simulator/check/texts.mjs";
import { complete } from "../../lab/simulator/complete.js";
import { createMachine, NotModelledError, programOf } from "../../lab/simulator/index.js";
import { latin1Of } from "../../lab/simulator/machine.js";
import { natives } from "../../lab/simulator/natives.js";
import { parts } from "../../lab/simulator/parts.mjs";

const PACKAGES = new URL("../../tools/nodes/26/node_modules/", import.meta.url);
const name = readdirSync(PACKAGES).find((folder) => folder.startsWith("node-"));
const node = new URL(`${name}/bin/node`, PACKAGES).pathname;
let passed = 0; // milliseconds that a test lets pass by the machines' clock
const clock = () => passed + process.cpuUsage().user / 1000;
const [facts, machineParts, common] = await Promise.all([natives(node), parts(), commonTexts()]);
const model = { NotModelledError, programOf, latin1Of, complete };
const machine = () => createMachine(facts, machineParts, { clock, limitMs: 1400 });
const machines = { driver: await machine(), handIn: await machine() };

/** Judges a program by a check, the functions of which are its criteria in their order. */
async function judged(source, check, { seconds = 30, call = 5, ...options } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "judge-"));
  try {
    writeFileSync(join(folder, "check.mjs"), `export default {${check}};\n`);
    const ids = [...check.matchAll(/async (\w+)\(t\)/g)].map(([, id]) => id);
    const exercise = {
      ...{ criteria: ids.map((id) => ({ id, needs: [] })), parameters: {}, seconds, call },
      ...(await textsOf(folder)),
    };
    const handIn = { name: "mine.mjs", source };
    return judge(options.model ?? model, machines, common, exercise, handIn, {
      seed: 1,
      ...options,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const outcomesOf = ({ criteria }) => criteria.map(({ outcome }) => outcome);

const ASKS = `async asks(t) {
  const program = await t.module();
  const answer = t.callback(() => 1);
  t.equal(await program.call("f", answer), 1, "another answer");
}, async asksAgain(t) { await (await t.module()).call("f", t.callback(() => 1)); }`;
const COMPUTES = "for (const end = i => i < 3e5;;) { for (let i = 0; end(i); i++); await fn(); }";

test("a program that computes and asks without end is stopped, however little virtual time passes", async () => {
  const source = `export async function f(fn) { ${COMPUTES} }\n`;
  const { criteria } = await judged(source, ASKS, { seconds: 2 });
  for (const { outcome, message } of criteria) {
    assert.equal(outcome, "missed");
    assert.match(message, /^The check took longer than all criteria together may take/);
  }
});

test("to compute for longer than a call may take takes that time in the model, too", async () => {
  for (const source of [
    `export async function f(fn) { ${COMPUTES} }\n`,
    "export const f = () => new Promise(() => { const turn = () => setImmediate(turn); turn(); });\n",
  ]) {
    const { criteria } = await judged(source, ASKS, { call: 1, seconds: 20 });
    for (const { message } of criteria)
      assert.equal(
        message,
        "`f` did not finish within 1 s: a promise is never settled, or a callback is never called",
      );
  }
});

test("a program with many short turns turns, however long they take together", async () => {
  const source = `export async function f() {
    for (let round = 0; round < 1500; round++) {
      for (let i = 0; i < 30_000; i++);
      await new Promise((done) => setTimeout(done, 1));
    }
    return 1;
  }\n`;
  assert.deepEqual(outcomesOf(await judged(source, ASKS)), ["held", "held"]);
});

test("what a program says before it computes for ever is told", async () => {
  const source = `export function f(fn) { fn(); console.log("so far"); for (;;); }\n`;
  const check = `async prints(t) {
    const program = await t.module();
    let calls = 0;
    try { await program.call("f", t.callback(() => { calls++; })); }
    finally { t.note("calls", calls); }
  }`;
  const { criteria, seen } = await judged(source, check);
  assert.match(criteria[0].message, /its event loop no longer turns/);
  assert.equal(criteria[0].stdout, "so far\n");
  assert.deepEqual(seen, { calls: 1 });
});

const THREE = "const [a, b, c] = [await t.module(), await t.module(), await t.module()];";
const WAITS = "export const f = (ms) => new Promise((done) => setTimeout(done, ms, ms));\n";

test("programs that were put beside one another in pairs run together, as in the sandbox", async () => {
  const check = `async together(t) {
    ${THREE}
    a.beside(b); a.beside(c); b.beside(c);
    t.equal(await Promise.all([a.call("f", 30), b.call("f", 20), c.call("f", 10)]), [30, 20, 10], "no");
  }`;
  const { criteria } = await judged(WAITS, check);
  assert.deepEqual(criteria[0], { criterion: "together", outcome: "held" });
});

test("a program that stands still goes on when it is used, and not when another is that it may run beside", async () => {
  const check = `async apart(t) {
    ${THREE}
    a.beside(b);
    b.beside(c);
    const late = a.call("f", 10);
    let isDone = false;
    late.then(() => { isDone = true; });
    await c.call("f", 50);
    t.ok(!isDone, "a went on beside c");
    await b.call("f", 50);
    t.ok(!isDone, "a went on, which the check did not use");
    await a.call("f", 1);
    await late;
  }`;
  const { criteria } = await judged(WAITS, check);
  assert.deepEqual(criteria[0], { criterion: "apart", outcome: "held" });
});

test("of a program that has ended no memory is kept", async (t) => {
  const check = `async oneByOne(t) {
    for (let i = 0; i < 5; i++) {
      const program = await t.module();
      await program.call("f", 1);
      await program.stop();
    }
  }`;
  const { engine } = machines.handIn;
  await judged(WAITS, check); // what it loads first is kept for all
  const snapshots = t.mock.method(engine, "snapshot").mock;
  assert.deepEqual(outcomesOf(await judged(WAITS, check)), ["held"]);
  assert.equal(snapshots.callCount(), 0);
});

test("the page hears of what opens a program as well, and its time counts", async () => {
  let opened = 0;
  const slow = (...given) => {
    opened++;
    passed += 500;
    return complete(...given);
  };
  let beats = 0;
  const check = `async opens(t) { await t.module(); }`;
  const now = performance.now.bind(performance);
  performance.now = () => now() + passed;
  try {
    const { longest } = await judged(WAITS, check, {
      model: { ...model, complete: slow },
      beat: () => beats++,
    });
    assert.ok(opened >= 2 && longest >= 500, `${longest} ms`);
    assert.ok(beats >= 2, `${beats} beats`);
  } finally {
    performance.now = now;
  }
});
