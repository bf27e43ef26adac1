// The search for orders: what is shown of a race, and the way to an order that needs long delays.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as acorn from "acorn";
import { complete } from "../../lab/simulator/complete.js";
import { explore } from "../../lab/simulator/explore.js";
import { createMachine, explore as exploreTraced, programOf } from "../../lab/simulator/index.js";
import { natives } from "../../lab/simulator/natives.js";
import { parts } from "../../lab/simulator/parts.mjs";
import { levelsAt } from "../../lab/simulator/trace.js";
import "../../lab/trace/replay-model.js";

const PACKAGES = new URL("../../tools/nodes/26/node_modules/", import.meta.url);
const name = readdirSync(PACKAGES).find((folder) => folder.startsWith("node-"));
const node = new URL(`${name}/bin/node`, PACKAGES).pathname;
const clock = () => process.cpuUsage().user / 1000;
const { texts, ...version } = await natives(node);
let loads = 0; // how often the machine has taken the text of one of Node's modules
const read = (target, id) => {
  loads++;
  return target[id];
};
const machine = await createMachine(
  { ...version, texts: new Proxy(texts, { get: read }) },
  await parts(),
  { clock },
);
const program = (source) => ({ source, file: "/home/you/program.cjs", kind: "cjs" });
const linesOf = ({ orders }) => orders.map(({ lines }) => lines.join(" "));

test("without a race there is one order, however many timers there are", () => {
  const source = `for (const ms of [40, 10, 25]) setTimeout(() => console.log(ms), ms);
    setImmediate(() => console.log("immediate"));`;
  const result = explore(machine, program(source), { clock, mostDelay: 5 });
  assert.deepEqual(linesOf(result), ["immediate 10 25 40"]);
  assert.equal(result.cut, false);
});

test("of a race both orders are shown, and the rarer one says what decides it", () => {
  const source = `setTimeout(() => console.log("timer"), 0);
    setImmediate(() => console.log("immediate"));`;
  const { orders } = explore(machine, program(source), { clock });
  assert.deepEqual(linesOf({ orders }), ["immediate timer", "timer immediate"]);
  assert.deepEqual(orders[0].because, []);
  assert.match(orders[1].because.join(), /^the main program takes a millisecond/);
});

test("several small delays together are found early, and an order's rank is how often chance drew it", () => {
  const timers = [2, 3, 4, 5].map((ms) => `setTimeout(() => log("after ${ms}"), ${ms});`);
  const source = `const log = console.log; log("main"); ${timers.join(" log('between'); ")}
    setImmediate(() => { log("immediate"); setImmediate(() => log("next")); });`;
  const shown = () => explore(machine, program(source), { mostMs: 1e6, mostRuns: 30 });
  const { orders } = shown();
  assert.deepEqual(shown().orders, orders); // by chance, but of a fixed seed
  const weights = orders.map(({ weight }) => weight);
  assert.deepEqual(
    weights,
    weights.toSorted((a, b) => b - a),
  );
  assert.ok(weights[0] < 1 && Math.abs(weights.reduce((sum, each) => sum + each, 0) - 1) < 0.05);
  // What is said to decide an order leads to it.
  for (const { lines, because, schedule } of orders.slice(0, 3)) {
    assert.ok(because.length <= Object.keys(schedule).length);
    const { chunks } = machine.run(program(source), schedule);
    const printed = chunks.map(([, text]) => text).join("");
    assert.equal(printed, `${lines.join("\n")}\n`);
  }
});

test("a program that is refused leaves nothing behind for the next one", () => {
  const refused = program("for (;;) setImmediate(require('child_process'));");
  for (const source of ["fs", "util", "stream/promises"]) {
    assert.throws(() => machine.run(refused), /child processes/);
    const { chunks } = machine.run(program(`console.log(!!require("node:${source}"))`));
    assert.equal(chunks[0][1], "true\n");
  }
});

test("an order that needs a long delay is found when it is looked for", () => {
  const source = `setTimeout(() => console.log("forty"), 40);
    setImmediate(() => setTimeout(() => console.log("zero"), 0));`;
  assert.deepEqual(linesOf(explore(machine, program(source), { clock })), ["zero forty"]);
  const toward = { lines: ["forty", "zero"], code: 0 };
  const far = { clock, toward, mostDelay: 100, mostRarity: 60 };
  assert.ok(linesOf(explore(machine, program(source), far)).includes("forty zero"));
  const never = { clock, toward: { lines: ["zero", "zero"], code: 0 }, mostDelay: 100 };
  assert.ok(!linesOf(explore(machine, program(source), never)).includes("zero zero"));
});

test("each run begins from the same state, whatever the one before has done to the globals", () => {
  const source = `console.log(typeof globalThis.left, [].own); globalThis.left = 1;
    Array.prototype.own = 2; Promise.prototype.then = null;`;
  for (let run = 0; run < 2; run++) {
    const { chunks } = machine.run(program(source));
    assert.equal(chunks[0][1], "undefined undefined\n");
  }
});

test("what a module imports from Node is loaded once for all runs of a search, which comes to its end", () => {
  const source = `import { readFile } from "node:fs";
import { setImmediate, setTimeout } from "node:timers";
readFile(import.meta.filename, () => console.log("file"));
setTimeout(() => console.log("timer"), 1);
setImmediate(() => console.log("check"));`;
  loads = 0;
  const { orders, cut, runs } = explore(machine, programOf(machine, source, "race.mjs"), { clock });
  assert.equal(cut, false);
  assert.ok(orders.length >= 2, `${orders.length} order`);
  assert.ok(loads < 5 * runs, `${loads} modules in ${runs} runs`); // node:fs alone takes thirty
});

test("bytes and events are loaded for a program that names them, once for all of its runs", () => {
  const sources = [
    "Promise.resolve();",
    "new AbortController().abort();",
    "if (Buffer.from(atob('YQ==')).length !== 1 || atob !== require('buffer').atob) throw 1;",
  ];
  const counts = sources.map((source) =>
    [1, 2].map(() => {
      loads = 0;
      assert.equal(machine.run(program(source)).code, 0);
      return loads;
    }),
  );
  assert.deepEqual(
    counts.map(([first, again]) => [first > 0, again]),
    [
      [false, 0],
      [true, 0],
      [true, 0],
    ],
  );
});

test("import.meta of a module says where it is, as Node does", () => {
  const source =
    "console.log([import.meta.url, import.meta.filename, import.meta.dirname].join());";
  const { chunks } = machine.run(programOf(machine, source, "a b#.mjs"));
  const places = ["file:///home/you/a%20b%23.mjs", "/home/you/a b#.mjs", "/home/you"];
  assert.equal(chunks[0][1], `${places.join()}\n`);
});

const SOCKETS = new URL("../simulator/sockets/", import.meta.url);
for (const file of readdirSync(SOCKETS))
  test(`the replay draws each step of sockets/${file}`, () => {
    const program = programOf(machine, readFileSync(new URL(file, SOCKETS), "utf8"), file);
    const { trace } = exploreTraced(machine, program, { clock, mostRuns: 1, traces: 1 });
    globalThis.LoopReplay.model.goThrough(trace);
  });

test("each order has a trace that the replay draws: who queued what, on which line, in which phase", () => {
  const source = `setImmediate(() => console.log("check"));
async function work() {
  await null;
  console.log("awaited");
}
work().then(() => process.nextTick(() => console.log("tick")));
setTimeout(() => console.log("timer"), 0);`;
  const program = programOf(machine, source, "program.mjs");
  const { orders, trace } = exploreTraced(machine, program, { clock });
  const { goThrough, recordingsOf, runOf, indexRecording, describe } = globalThis.LoopReplay.model;
  goThrough(trace);
  assert.equal(trace.origin, "model");
  assert.match(runOf(recordingsOf(trace)[0]), /^Model of Node [\d.]+ · the likeliest of 2 orders$/);
  assert.deepEqual(
    orders.map((order) =>
      order.trace.events.filter(([, what]) => what === "out").map((row) => row[6]),
    ),
    orders.map(({ lines }) => lines),
  );
  const model = indexRecording(trace.versions[0].recordings[0], trace.pool);
  const sentences = model.steps.map((_, step) => describe(model, step)).join("\n");
  assert.match(sentences, /Line 3: await. The promise is already settled/);
  assert.match(
    sentences,
    /microtask queue is emptied: await \(line 3\) runs. Still main program, iteration 0/,
  );
  assert.match(sentences, /Line 6: process.nextTick/);
  assert.match(sentences, /Check, iteration 1. The callback of setImmediate \(line 1\) runs/);
  assert.match(sentences, /Timers, iteration \d. The callback of setTimeout 1 ms \(line 7\) runs/);
});

test("the recording of a program with streams has the levels of their buffers at each event", () => {
  const source = `const { Readable, Writable, Transform, pipeline } = require("node:stream");
let n = 0;
const source = new Readable({ objectMode: true, highWaterMark: 3, read() { this.push(n < 8 ? n++ : null); } });
const twice = new Transform({ objectMode: true, highWaterMark: 2, transform: (n, _, done) => setTimeout(done, 5, null, 2 * n) });
const sink = new Writable({ objectMode: true, highWaterMark: 1, write(chunk, _, done) {
  console.log(source.readableLength, twice.readableLength, twice.writableLength, sink.writableLength);
  setTimeout(done, 10);
} });
pipeline(source, twice, sink, () => {});`;
  const { orders } = exploreTraced(machine, programOf(machine, source, "program.cjs"), { clock });
  const { buffers, events, ...recording } = orders[0].trace;
  assert.deepEqual(
    buffers.map(({ label, line, reads, writes }) => [label, line, reads, writes]),
    [
      ["source · new Readable", 3, 3, null],
      ["twice · new Transform", 4, 2, 2],
      ["sink · new Writable", 5, null, 1],
    ],
  );
  const printed = events.flatMap(([, what, , , , , text], at) =>
    what === "out" ? [[at, text]] : [],
  );
  assert.equal(printed.length, 8);
  for (const [at, text] of printed) {
    const [[read], [readAgain, written], [, last]] = levelsAt({ buffers, ...recording }, at);
    assert.equal([read, readAgain, written, last].join(" "), text);
  }
  const none = programOf(machine, "setImmediate(() => console.log(1));", "program.cjs");
  assert.equal("buffers" in exploreTraced(machine, none, { clock }).orders[0].trace, false);
});

const explored = (source, name = "program.cjs") =>
  exploreTraced(machine, programOf(machine, source, name), { clock, traces: 0 });

test("orders that differ only in printed times are one, and a sentence says so", () => {
  const source = `const start = Date.now();
setTimeout(() => console.log("ten", Date.now() - start, "ms"), 10);
setImmediate(() => console.log("immediate 1"));
setTimeout(() => console.log("zero 0"), 0);
console.log(performance.now() - performance.now() < 0);`;
  const { orders, notes } = explored(source);
  const withoutTimes = orders.map(({ lines }) => lines.join().replace(/ten \d+ ms/, "ten"));
  assert.equal(new Set(withoutTimes).size, orders.length);
  for (const order of ["true,immediate 1,zero 0,ten", "true,zero 0,immediate 1,ten"])
    assert.ok(withoutTimes.includes(order), withoutTimes.join(" | "));
  assert.match(notes.join(), /^The times that this program prints are the model's/);
});

test("numbers that are no times make orders of their own, also in lines that look like those with times", () => {
  const numbers = `for (const n of [1, 2]) { setTimeout(() => console.log(n), n); setImmediate(() => console.log(n + 2)); }`;
  const { orders, notes } = explored(numbers);
  const all = orders.map(({ lines }) => lines.join(""));
  assert.ok(all.length >= 3 && all.includes("3412") && all.includes("1342"), all.join());
  assert.deepEqual(notes, []);
  const both = explored(`${numbers} console.log(Date.now() % 1000);`);
  assert.ok(new Set(both.orders.map(({ lines }) => lines.slice(1).join(""))).size >= 3);
});

const README = new URL("../../lab/simulator/README.md", import.meta.url);
const [, CACHE] = /give both calls the same object as `(\w+)`/.exec(readFileSync(README, "utf8"));

/** How often a machine runs a program for its first answer, and then for all orders, called as the README says. */
function runsFor(source, name) {
  const counts = [];
  const cache = {};
  const asked = programOf(machine, source, name);
  for (const options of [{ mostRuns: 1, traces: 1 }, { traces: 1 }]) {
    let count = 0;
    const run = (...values) => {
      count++;
      return machine.run(...values);
    };
    const counting = Object.assign(Object.create(machine), { run });
    const { notes, runs } = exploreTraced(counting, asked, { clock, [CACHE]: cache, ...options });
    counts.push({ count, runs, notes: notes.join(" ") });
  }
  return counts;
}

test("a program runs again for its times or its date only if it asks for them, and no run is repeated", () => {
  for (const [source, more, notes] of [
    ["setTimeout(console.log, 5, Math.max(1, 2));", 0, /^$/],
    ["performance.now(); console.log(1);", 1, /^$/],
    ["console.log(process.hrtime()[1]);", 1, /^The times that this program prints/],
    ["console.log(process.uptime());", 1, /^The times that this program prints/],
    ["console.log(Math.random());", 1, /depends on the date, the time or random numbers/],
    ["console.log(performance.timeOrigin);", 1, /depends on the date, the time or random numbers/],
    ["console.log(new Date().getDay());", 2, /depends on the date, the time or random numbers/],
    ["console.log(new Intl.DateTimeFormat('en').formatToParts()[2]);", 2, /depends on the date/],
    ["console.log(fs.statSync('.').mtime);", 1, /depends on the date/, "const fs = require('fs');"],
    ["console.log(crypto.randomUUID());", 1, /depends on the date, the time or random numbers/],
  ].map(([text, ...rest]) => [(rest[2] ?? "") + text, ...rest])) {
    const [first, all] = runsFor(source, "program.cjs");
    assert.equal(first.count, 2 + more, source); // one of them traced
    assert.ok(all.count < all.runs, `${all.count} for ${all.runs}: ${source}`);
    assert.match(first.notes, notes, source);
    assert.equal(all.notes, first.notes);
  }
});

test("what only a rarer order asks for is noted, and numbers that are times make no orders", () => {
  const inTime = (text) => `let isLate = false;
    const deep = () => deep() + 1;
    const shown = (caught) => { try { return caught(); } catch { return "too deep"; } };
    setImmediate(() => (isLate = true));
    setTimeout(() => console.log(isLate ? "late" : ${text}), 0);`;
  for (const [text, note] of [
    ["Math.random()", /depends on the date, the time or random numbers/],
    ["new Date().getDay()", /depends on the date, the time or random numbers/],
    ["process.hrtime()[1]", /The times that this program prints/],
    ["shown(deep)", /^$/], // Node's stack overflows, too
    ["'in time'", /^$/],
  ]) {
    const source = inTime(text);
    const { asked } = machine.run(programOf(machine, source, "program.cjs"));
    const { clock, chance, depth } = asked;
    assert.deepEqual({ clock, chance, depth }, { clock: false, chance: false, depth: false }, text);
    const { orders, notes } = explored(source);
    assert.equal(orders.length, 2, text);
    assert.deepEqual(orders[0].lines, ["late"]);
    assert.match(notes.join(), note, text);
  }
});

test("of the system's errors each known one is given, and no list, which would be short of some", () => {
  const heads =
    'const { errno } = require("os").constants; const { getSystemErrorMap } = require("util");';
  const known = "errno.ENOENT, 'ENOENT' in errno, 'x' in errno, getSystemErrorMap().has(-2)";
  assert.deepEqual(explored(`${heads} console.log(${known});`).orders[0].lines, [
    "2 true false true",
  ]);
  for (const list of [
    ...["[...getSystemErrorMap()]", "new Map(getSystemErrorMap())", "getSystemErrorMap().size"],
    ...["keys", "values", "entries"].map((name) => `getSystemErrorMap().${name}()`),
    ...["getSystemErrorMap().forEach(console.log)", "getSystemErrorMap().has(-18)"],
    ...["getSystemErrorMap()", "Object.keys(errno)", "({ ...errno })", "errno", "'EXDEV' in errno"],
  ])
    assert.throws(
      () => explored(`${heads} console.log(${list});`),
      /^NotModelledError: The model (does not know all errors of a system|has no os.constants.errno.EXDEV)/,
      list,
    );
});

test("what is filled at random has whole numbers, and not more than Node takes", () => {
  for (const value of ["new Float32Array(2)", "new ArrayBuffer(2)", "5", "new Uint8Array(65537)"])
    assert.throws(
      () => explored(`crypto.getRandomValues(${value});`),
      /only arrays of whole numbers/,
    );
  const filled =
    "[Int8Array, BigUint64Array].map((kind) => crypto.getRandomValues(new kind(2)).length)";
  assert.deepEqual(explored(`console.log(${filled}.join());`).orders[0].lines, ["2,2"]);
});

test("a stack that is printed comes with what it leaves out, and calls that are too deep with how deep they may be", () => {
  const { orders, notes } = explored("console.log(new Error('e').stack);");
  assert.deepEqual(orders[0].lines, [
    "Error: e",
    "    at Object.<anonymous> (/home/you/program.cjs:1:13)",
  ]);
  assert.match(notes.join(), /has only the program's own functions/);
  const down = "const down = (n) => (n ? 1 + down(n - 1) : 0); console.log(down(5000));";
  assert.throws(() => explored(down), /about 1,000 calls.* To run it for real: node program.cjs$/);
  assert.deepEqual(explored("console.log(1);").notes, []);
});

test("an error of a stack that overflows has a stack, however it comes to that, and no note where Node prints the same", () => {
  const function_ = "function deep(n) {\n  return deep(n + 1) + 1;\n}\n";
  const frames = Array(10).fill("    at deep (/home/you/program.cjs:2:10)");
  const stack = ["RangeError: Maximum call stack size exceeded", ...frames];
  for (const caught of [
    "try { deep(0); } catch (error) { console.log(error.stack); }",
    "try { deep(0); } catch {} try { deep(0); } catch (error) { console.log(error.stack); }",
    "Promise.resolve(0).then(deep).catch((error) => console.log(error.stack));",
    "process.on('uncaughtException', ({ stack }) => console.log(stack)); setImmediate(deep, 0);",
  ]) {
    const { orders, notes } = explored(function_ + caught);
    assert.deepEqual(orders[0].lines, stack, caught);
    assert.match(notes.join(), /^In a printed stack[^;]*$/);
  }
  const [{ report, code }] = explored(`${function_}deep(0);`).orders;
  assert.equal(code, 1);
  assert.ok(report.startsWith(stack.join("\n")), report);
  const ends = [
    ["const o = { get a() { return o.a; } }; o.a;", "getter"],
    ["const t = { toString: () => String(t) }; String(t);", "toString"],
    ["[2, 1].sort(function by() { return [2, 1].sort(by); });", "comparator"],
    ["class A { constructor() { new A(); } } new A();", "constructor"],
    ["const p = new Proxy({}, { get: (_, key, self) => self[key] }); p.x;", "proxy"],
    ["const e = new (require('events'))(); e.on('x', () => e.emit('x')); e.emit('x');", "emitter"],
    ["function* f() { yield* f(); } f().next();", "generator"],
    ["const j = { toJSON: () => JSON.stringify(j) }; JSON.stringify(j);", "toJSON"],
  ];
  for (const [text, name] of ends) {
    const source = `try { ${text} } catch (e) { console.log(e instanceof RangeError, e.message); }`;
    const { orders, notes } = explored(source);
    assert.deepEqual(orders[0].lines, ["true Maximum call stack size exceeded"], name);
    assert.deepEqual(notes, [], name);
  }
  const silent = explored(
    `${function_}let shown; try { deep(0); } catch { shown = 1; } console.log(shown);`,
  );
  assert.deepEqual(silent.orders[0].lines, ["1"]);
  assert.deepEqual(silent.notes, []);
});

test("calls that may end are refused where the page's stack overflows, and a number of calls has a note", () => {
  for (const text of [
    "const down = (n) => (n ? down(n - 1) : 0); down(2000);",
    "function down(n) { if (n === 0) return 0; return down(n - 1); } down(2000);",
    "const down = (n) => n && down(n - 1); down(2000);",
    "Error.stackTraceLimit = 0; function f() { f(); } f();",
    "function down(n) { do { if (!n) break; down(n - 1); } while (false); } down(2000);",
    "const sum = (n) => 1 + (n ? [n] : []).reduce((s, x) => s + sum(x - 1), 0); sum(2000);",
  ])
    assert.throws(() => explored(`try { ${text} } catch {}`), /about 1,000 calls/, text);
  const { notes } = explored(
    "let n = 0; function f() { n++; f(); } try { f(); } catch { console.log(n); }",
  );
  assert.match(notes.join(), /depends on how many calls the stack holds/);
});

test("each text with something that the engine lacks is completed, whatever stands around it", () => {
  for (const text of [
    "2 ** 3 ** x",
    "2 ** 3 ** 2",
    "2**3**4",
    "2 ** 2\n** 3",
    "x1 ** 2",
    "$1 ** 2",
    "é5 ** 2",
    "a.b5 ** 2",
    "1.5 ** 2",
    "2 ** 3.5",
    "a[1] ** 2",
    "2 ** x",
    "2 ** -3",
    "x // 5\n** 2",
    "x /* 5 */ ** 2",
    "(2, x) ** 2",
    'import("a")',
    'import(/* now */ "a")',
    "(async function* () { yield* a })",
    "({ async *a() { yield* b } })",
  ])
    assert.notEqual(complete(acorn, text, false).text, text, text);
});

test("a text that surely needs nothing is not even parsed", () => {
  const parser = { parse: (text) => assert.fail(`parsed ${text}`) };
  for (const text of [
    "2 ** 32 - 1",
    "2**16",
    "-(2n ** 32n)",
    "/** @returns {number} 2 ** 30 */",
    "first * 2 ** 8 + last * 2 ** 16",
    "Reflect.getPrototypeOf(async function*() {})",
    '"Use import() instead"',
  ])
    assert.deepEqual(complete(parser, text, false), { text, insertions: [] });
});

test("what a program has filled its memory with is in no later state of the machine", () => {
  const bytes = () =>
    [...machine.loadedStates.values()]
      .at(-1)
      .parts.reduce((sum, [, { length }]) => sum + length, 0);
  machine.run(program('require("path");'));
  const before = bytes();
  machine.run(program('const all = [..."123"].map((digit) => digit.repeat(1e7));'));
  machine.run(program('require("path"); require("events");'));
  assert.ok(bytes() < 1.5 * before, `${bytes()} bytes, and ${before} before`);
});
