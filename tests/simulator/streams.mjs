// Programs about streams, made at random from a seed: sources, steps and sinks of many kinds, joined in many ways, beside
// the timers, ticks and promises of generator.mjs.

import { Program } from "./generator.mjs";

const NAMES =
  "addAbortSignal, compose, Duplex, finished, PassThrough, pipeline, Readable, Transform, Writable";
const EVENTS = {
  readable: ["close", "end", "pause", "resume"],
  writable: ["close", "finish", "drain", "pipe", "unpipe"],
};

/** {source, kind}: the program of a seed. */
export const streamProgramOf = (seed) => new StreamProgram(seed).made();

class StreamProgram extends Program {
  constructor(seed) {
    super(seed, false);
    this.budget = 3 + this.below(7);
    // Of a program that crashes little is seen, so most have handlers.
    this.isSafe = this.chance(0.8);
  }

  head() {
    return this.kind === "esm"
      ? [
          `import { EventEmitter, on, once } from "node:events";`,
          `import * as timers from "node:timers/promises";`,
          `import { ${NAMES} } from "node:stream";`,
          `import * as joined from "node:stream/promises";`,
        ]
      : [
          `const { EventEmitter, on, once } = require("node:events");`,
          `const timers = require("node:timers/promises");`,
          `const { ${NAMES} } = require("node:stream");`,
          `const joined = require("node:stream/promises");`,
        ];
  }

  made() {
    const program = super.made();
    if (/new (Read|Writ|Trans|Pass|Dup)|Readable\.from/.test(program.source)) return program;
    return { ...program, source: `${program.source}\n${this.flowing()}` };
  }

  statement(depth, isAsync) {
    if (depth > 2 || this.chance(depth ? 0.75 : 0.25)) return super.statement(depth, isAsync);
    this.budget--;
    const weighted = [
      [3, () => this.flowing()],
      [2, () => this.pausing()],
      [4, () => this.piped()],
      [5, () => this.pipelined(isAsync)],
      [3, () => this.iterated()],
      [3, () => this.written()],
      [1, () => this.once()],
      [2, () => this.destroyed()],
      [2, () => this.followed()],
      [1.5, () => this.helped()],
      [1.5, () => this.aborting()],
      [1, () => this.encoded()],
      [1, () => this.composed()],
      [1, () => this.emitted()],
      [1, () => this.pushed()],
      [1, () => this.doubled()],
      [1.5, () => this.webRead()],
      [1.5, () => this.webPiped()],
      [1, () => this.webWritten()],
      [1, () => this.bridged()],
    ];
    let at = this.random() * weighted.reduce((total, [weight]) => total + weight, 0);
    for (const [weight, make] of weighted) {
      at -= weight;
      if (at < 0) return make();
    }
    return this.flowing();
  }

  /** How a callback is called. */
  later(call) {
    return this.pick([
      () => `${call}();`,
      () => `${call}();`,
      () => `setImmediate(${call});`,
      () => `process.nextTick(${call});`,
      () => `queueMicrotask(() => ${call}());`,
      () => `setTimeout(${call}, ${this.pick([1, 1, 5, 40])});`,
    ])();
  }

  error() {
    return `new Error(${JSON.stringify(this.name("E"))})`;
  }

  mark() {
    return this.pick(["", "", "highWaterMark: 1, ", "highWaterMark: 2, ", "highWaterMark: 3, "]);
  }

  more() {
    return this.pick(["", "", "", "", "autoDestroy: false, ", "emitClose: false, "]);
  }

  hooks() {
    const hooks = [];
    if (this.chance(0.15))
      hooks.push(
        `destroy(error, done) { ${this.log(", error?.message")} ${this.later("(() => done(error))")} },`,
      );
    if (this.chance(0.1))
      hooks.push(`construct(done) { ${this.log()} ${this.later("(() => done())")} },`);
    return hooks.join(" ");
  }

  /** A source of a few objects or texts that ends or fails. */
  source() {
    const count = this.below(5);
    return this.pick([
      () => `Readable.from([${Array.from({ length: count }, (_, at) => at + 1).join()}])`,
      () => `Readable.from(["a", "bc", "d"].slice(${this.below(3)}), { ${this.mark()} })`,
      () =>
        `Readable.from((function* () { for (let i = 0; i < ${count}; i++) { ${this.log()} yield i; } ${this.chance(0.15) ? `throw ${this.error()};` : ""} })())`,
      () =>
        `Readable.from((async function* () { try { for (let i = 0; i < ${count}; i++) { ${this.chance(0.5) ? `await ${this.promise(3)};` : ""} ${this.log(", i")} yield i; } ${this.chance(0.15) ? `throw ${this.error()};` : ""} } finally { ${this.log()} } })())`,
      () => this.reading("", (n) => `\`c\${${n}}\``),
      () => this.reading("objectMode: true, ", (n) => `{ n: ${n} }`),
      () => this.reading("objectMode: true, ", (n) => n),
    ])();
  }

  reading(mode, chunk) {
    const n = this.name("n");
    const last = this.chance(0.12) ? `this.destroy(${this.error()})` : "this.push(null)";
    const count = this.below(5);
    const twice = this.chance(0.2) ? ` if (${n} === 2) this.push(${chunk(`${n} * 10`)});` : "";
    const push = `(() => { if (++${n} > ${count}) ${last}; else { this.push(${chunk(n)});${twice} } })`;
    return `(() => { let ${n} = 0; return new Readable({ ${mode}${this.mark()}${this.more()}read(size) { ${this.log(", size")} ${this.later(push)} }, ${this.hooks()} }); })()`;
  }

  transform() {
    const fails = this.chance(0.12);
    const n = this.name("n");
    const result = this.pick([
      () => `() => done(null, chunk)`,
      () => `() => done(null, chunk)`,
      () => `() => { this.push(chunk); this.push(chunk); done(); }`,
      () => `() => done()`,
      () => `() => { done(null, chunk); ${this.log()} }`,
    ])();
    const fail = fails ? `if (++${n} === ${1 + this.below(3)}) return done(${this.error()});` : "";
    const flush = this.chance(0.3)
      ? `flush(done) { ${this.log()} ${this.chance(0.5) ? `this.push("end");` : ""} ${this.later("(() => done())")} },`
      : "";
    return this.pick([
      () => `new PassThrough({ objectMode: true, ${this.mark()} })`,
      () =>
        `(() => { let ${n} = 0; return new Transform({ objectMode: true, ${this.mark()}${this.more()}transform(chunk, encoding, done) { ${this.log(", chunk")} ${fail} ${this.later(`(${result})`)} }, ${flush} ${this.hooks()} }); })()`,
      () =>
        `(() => { let ${n} = 0; return new Transform({ objectMode: true, ${this.mark()}${this.more()}transform(chunk, encoding, done) { ${this.log(", chunk")} ${fail} ${this.later(`(${result})`)} }, ${flush} ${this.hooks()} }); })()`,
    ])();
  }

  sink() {
    const n = this.name("n");
    const fail = this.chance(0.15)
      ? `if (++${n} === ${1 + this.below(3)}) ${this.pick(["return done", "throw "])}(${this.error()});`
      : "";
    const final = this.chance(0.3)
      ? `final(done) { ${this.log()} ${this.later(this.chance(0.1) ? `(() => done(${this.error()}))` : "(() => done())")} },`
      : "";
    const options = `objectMode: true, ${this.mark()}${this.more()}`;
    return this.pick([
      () =>
        `(() => { let ${n} = 0; return new Writable({ ${options}write(chunk, encoding, done) { ${this.log(", chunk")} ${fail} ${this.later("(() => done())")} }, ${final} ${this.hooks()} }); })()`,
      () =>
        `(() => { let ${n} = 0; return new Writable({ ${options}write(chunk, encoding, done) { ${this.log(", chunk")} ${fail} ${this.later("(() => done())")} }, ${final} ${this.hooks()} }); })()`,
      () =>
        `(() => { let ${n} = 0; return new Writable({ ${options}writev(chunks, done) { ${this.log(", chunks.length")} ${fail.replace("return done", "return done")} ${this.later("(() => done())")} }, ${final} ${this.hooks()} }); })()`,
    ])();
  }

  /** Listeners that print, on a stream of that name. */
  listeners(name, sides) {
    const events = sides.flatMap((side) => EVENTS[side]);
    const chosen = [...new Set(events)].filter(() => this.chance(0.3));
    const texts = chosen.map((event) => `.on("${event}", () => { ${this.log(`, "${event}"`)} })`);
    if (this.isSafe || this.chance(0.5))
      texts.push(`.on("error", (error) => { ${this.log(", error.code ?? error.message")} })`);
    return texts.length ? `${name}${texts.join("")};` : "";
  }

  /** What can be seen of a stream. */
  seen(name, side) {
    return side === "readable"
      ? `, ${name}.readableLength, ${name}.readableFlowing, ${name}.destroyed`
      : `, ${name}.writableLength, ${name}.writableNeedDrain, ${name}.destroyed`;
  }

  flowing() {
    const s = this.name("s");
    const pauses = this.chance(0.4)
      ? ` if (!${s}.isPaused()) { ${s}.pause(); ${this.later(`(() => ${s}.resume())`)} }`
      : "";
    const stops = this.chance(0.15)
      ? ` ${s}.destroy(${this.chance(0.5) ? this.error() : ""});`
      : "";
    return `const ${s} = ${this.source()}; ${this.listeners(s, ["readable"])} ${s}.on("data", (chunk) => { ${this.log(`, chunk${this.seen(s, "readable")}`)}${pauses}${stops} });`;
  }

  pausing() {
    const s = this.name("s");
    const size = this.chance(0.25) ? "1" : "";
    return this.pick([
      () =>
        `const ${s} = ${this.source()}; ${this.listeners(s, ["readable"])} ${s}.on("readable", () => { ${this.log(this.seen(s, "readable"))} for (let chunk = ${s}.read(${size}); chunk !== null; chunk = ${s}.read(${size})) { ${this.log(", String(chunk)")} } });`,
      () =>
        `const ${s} = ${this.source()}; ${this.listeners(s, ["readable"])} ${s}.on("readable", () => { ${this.log(`, \`\${${s}.read()}\`${this.seen(s, "readable")}`)} });`,
      () =>
        `const ${s} = ${this.source()}; ${this.listeners(s, ["readable"])} ${s}.once("readable", () => { const chunk = ${s}.read(); ${this.log(", String(chunk)")} ${this.chance(0.5) ? `if (chunk !== null) ${s}.unshift(chunk);` : ""} ${s}.on("data", (chunk) => { ${this.log(", String(chunk)")} }); });`,
    ])();
  }

  piped() {
    const [s, t, w] = ["s", "t", "w"].map((letter) => this.name(letter));
    const hasStep = this.chance(0.6);
    const parts = [
      `const ${s} = ${this.source()}, ${t} = ${this.transform()}, ${w} = ${this.sink()};`,
      this.listeners(s, ["readable"]),
      this.listeners(t, ["readable", "writable"]),
      this.listeners(w, ["writable"]),
      hasStep
        ? `${s}.pipe(${t}).pipe(${w});`
        : `${s}.pipe(${w}${this.chance(0.2) ? ", { end: false }" : ""});`,
    ];
    if (this.chance(0.2)) parts.push(`${s}.pipe(${this.sink()});`);
    if (this.chance(0.25))
      parts.push(
        this.later(
          `(() => { ${this.log(this.seen(w, "writable"))} ${this.pick([`${s}.unpipe();`, `${w}.destroy();`, `${s}.destroy();`, `${s}.resume();`])} })`,
        ),
      );
    return parts.join(" ");
  }

  /** A part of a pipeline: a stream, or a function. */
  step() {
    return this.pick([
      () => this.transform(),
      () => this.transform(),
      () =>
        `async function* (source) { for await (const chunk of source) { ${this.log(", String(chunk)")} ${this.chance(0.3) ? `await ${this.promise(3)};` : ""} ${this.chance(0.1) ? `throw ${this.error()};` : ""} yield chunk; } ${this.log()} }`,
    ])();
  }

  last() {
    return this.pick([
      () => this.sink(),
      () => this.sink(),
      () => this.sink(),
      () =>
        `async (source) => { for await (const chunk of source) { ${this.log(", String(chunk)")} ${this.chance(0.15) ? "break;" : ""} } ${this.log()} ${this.chance(0.3) ? "return 7;" : ""} }`,
    ])();
  }

  pipelined(isAsync) {
    const steps = Array.from({ length: this.below(3) }, () => this.step());
    const parts = [this.source(), ...steps, this.last()].join(", ");
    const c = this.name("c");
    const aborts = this.pick([
      () => `${c}.abort();`,
      () => this.later(`(() => ${c}.abort())`),
      () => this.later(`(() => ${c}.abort())`),
      () => "",
    ]);
    const settled = (call) =>
      isAsync && this.chance(0.4)
        ? `try { await ${call}; ${this.log()} } catch (error) { ${this.log(", error.name, error.message")} }`
        : `${call}.then((value) => { ${this.log(", value")} }, (error) => { ${this.log(", error.name, error.message")} });`;
    return this.pick([
      () => `pipeline(${parts}, (error, value) => { ${this.log(", error?.message, value")} });`,
      () =>
        `pipeline(${parts}, (error, value) => { ${this.log(", error?.code ?? error?.message, value")} });`,
      () => settled(`joined.pipeline(${parts})`),
      () => settled(`joined.pipeline(${parts}${this.chance(0.3) ? ", { end: false }" : ""})`),
      () =>
        `const ${c} = new AbortController(); ${settled(`joined.pipeline(${parts}, { signal: ${c}.signal })`)} ${aborts()}`,
    ])();
  }

  iterated() {
    const s = this.name("s");
    const inside = this.pick([
      () => "",
      () => "",
      () => `await ${this.promise(3)};`,
      () => "break;",
      () => `throw ${this.error()};`,
    ])();
    const through = this.chance(0.2) ? `${s}.iterator({ destroyOnReturn: false })` : s;
    return `const ${s} = ${this.source()}${this.chance(0.3) ? `.pipe(${this.transform()})` : ""}; ${this.listeners(s, ["readable"])} (async () => { try { for await (const chunk of ${through}) { ${this.log(", String(chunk)")} ${inside} } ${this.log(`, ${s}.destroyed`)} } catch (error) { ${this.log(`, error.message, ${s}.destroyed`)} } })();`;
  }

  written() {
    const [w, n] = [this.name("w"), this.name("n")];
    const most = 1 + this.below(6);
    const parts = [
      `const ${w} = ${this.chance(0.8) ? this.sink() : this.transform()};`,
      this.listeners(w, ["writable"]),
    ];
    const end = this.pick([
      () => `${w}.end();`,
      () => `${w}.end();`,
      () => `${w}.end("last", () => { ${this.log()} });`,
      () => `${w}.end((error) => { ${this.log(", error?.message")} });`,
      () => "",
      () => `${w}.end(); ${w}.write("after");`,
    ])();
    parts.push(
      this.pick([
        () =>
          `let ${n} = 0; (function go() { while (${n} < ${most}) if (!${w}.write(++${n})) { ${this.log(this.seen(w, "writable"))} ${w}.once("drain", go); return; } ${end} })();`,
        () =>
          `for (let i = 0; i < ${most}; i++) p(${JSON.stringify(this.name("L"))}, ${w}.write(i, (error) => { ${this.log(", i, error?.message")} })); ${end}`,
        () =>
          `${w}.cork(); for (let i = 0; i < ${most}; i++) ${w}.write(i); ${this.later(`(() => { ${this.log(this.seen(w, "writable"))} ${w}.uncork(); ${end} })`)}`,
        () =>
          `(async () => { for (let i = 0; i < ${most}; i++) if (!${w}.write(i)) { await once(${w}, "drain"); ${this.log()} } ${end} })().catch((error) => { ${this.log(", error.message")} });`,
      ])(),
    );
    if (this.chance(0.2))
      parts.push(this.later(`(() => { ${this.log(this.seen(w, "writable"))} ${w}.destroy(); })`));
    return parts.join(" ");
  }

  once() {
    const s = this.name("s");
    return `const ${s} = ${this.source()}; ${this.listeners(s, ["readable"])} once(${s}, ${JSON.stringify(this.pick(["data", "end", "close", "readable"]))}).then((values) => { ${this.log(", String(values)")} ${s}.resume(); }, (error) => { ${this.log(", error.message")} });`;
  }

  destroyed() {
    const s = this.name("s");
    const isSink = this.chance(0.4);
    const side = isSink ? "writable" : "readable";
    const error = this.chance(0.5) ? this.error() : "";
    return `const ${s} = ${isSink ? this.sink() : this.source()}; ${this.listeners(s, [side])} ${isSink ? `${s}.write("x"); ${s}.write("y");` : `${s}.${this.pick(["resume", "pause", "read"])}();`} ${this.later(`(() => { ${s}.destroy(${error}); ${this.log(this.seen(s, side))} ${this.chance(0.3) ? `${s}.destroy(${this.error()});` : ""} })`)}`;
  }

  followed() {
    const s = this.name("s");
    const isSink = this.chance(0.4);
    const start = isSink
      ? `${s}.write("x"); ${this.chance(0.8) ? `${s}.end("y");` : ""}`
      : this.pick([
          `${s}.resume();`,
          `${s}.on("data", (chunk) => { ${this.log(", String(chunk)")} });`,
        ]);
    const ends = this.pick([
      () => `finished(${s}, (error) => { ${this.log(", error?.code ?? error?.message")} });`,
      () =>
        `const stop${s} = finished(${s}, (error) => { ${this.log(", error?.code ?? error?.message")} stop${s}(); });`,
      () =>
        `joined.finished(${s}${this.chance(0.3) ? ", { cleanup: true }" : ""}).then(() => { ${this.log()} }, (error) => { ${this.log(", error.code ?? error.message")} });`,
    ])();
    const stops = this.chance(0.3)
      ? this.later(`(() => ${s}.destroy(${this.chance(0.5) ? this.error() : ""}))`)
      : "";
    return `const ${s} = ${isSink ? this.sink() : this.source()}; ${this.listeners(s, [isSink ? "writable" : "readable"])} ${ends} ${start} ${stops}`;
  }

  /** The methods that a stream has in common with arrays. */
  helped() {
    const from = `Readable.from([1, 2, 3, 4].slice(${this.below(3)}))`;
    const slow = this.chance(0.5) ? `await ${this.promise(3)};` : "";
    const call = this.pick([
      () =>
        `${from}.map(async (n) => { ${this.log(", n")} ${slow} return n * 2; }${this.chance(0.4) ? ", { concurrency: 2 }" : ""}).toArray()`,
      () => `${from}.filter(async (n) => { ${this.log(", n")} ${slow} return n % 2; }).toArray()`,
      () => `${from}.take(2).toArray()`,
      () => `${from}.drop(1).map((n) => n + 1).toArray()`,
      () => `${from}.flatMap((n) => { ${this.log(", n")} return [n, n]; }).toArray()`,
      () => `${from}.forEach(async (n) => { ${this.log(", n")} ${slow} })`,
      () => `${from}.reduce((sum, n) => { ${this.log(", n")} return sum + n; }, 0)`,
      () => `${from}.some((n) => { ${this.log(", n")} return n > 1; })`,
      () => `${from}.find(async (n) => { ${this.log(", n")} return n > 1; })`,
      () => `${from}.map((n) => { if (n === 2) throw ${this.error()}; return n; }).toArray()`,
    ])();
    return `${call}.then((value) => { ${this.log(", value")} }, (error) => { ${this.log(", error.message")} });`;
  }

  aborting() {
    const [s, c] = [this.name("s"), this.name("c")];
    const isSink = this.chance(0.3);
    const start = isSink
      ? `${s}.write("x");`
      : `${s}.on("data", (chunk) => { ${this.log(", String(chunk)")} });`;
    return `const ${c} = new AbortController(), ${s} = addAbortSignal(${c}.signal, ${isSink ? this.sink() : this.source()}); ${s}.on("error", (error) => { ${this.log(", error.name")} }); ${this.listeners(s, [isSink ? "writable" : "readable"])} ${start} ${this.later(`(() => ${c}.abort())`)}`;
  }

  /** Text in pieces that end in the middle of a character. */
  encoded() {
    const s = this.name("s");
    const bytes = [...Buffer.from("aé€😀z")];
    const cuts = [1 + this.below(4), 5 + this.below(4)];
    const pieces = [bytes.slice(0, cuts[0]), bytes.slice(cuts[0], cuts[1]), bytes.slice(cuts[1])];
    const how = this.pick([
      () => `${s}.setEncoding("${this.pick(["utf8", "utf8", "hex", "base64", "latin1"])}");`,
      () => "",
    ])();
    const take = this.pick([
      () => `${s}.on("data", (chunk) => { ${this.log(", chunk.length, String(chunk)")} });`,
      () =>
        `(async () => { for await (const chunk of ${s}) { ${this.log(", chunk.length, String(chunk)")} } ${this.log()} })();`,
      () =>
        `${s}.on("readable", () => { ${this.log(`, ${s}.readableLength, \`\${${s}.read(${this.pick(["", "2", "3"])})}\``)} });`,
    ])();
    const later = this.chance(0.3);
    const pushes = pieces.map((piece) => `${s}.push(Buffer.from([${piece}]));`);
    const rest = `${pushes.slice(1).join(" ")} ${s}.push(null);`;
    return `const ${s} = new Readable({ read() { ${this.chance(0.3) ? this.log() : ""} } }); ${how} ${pushes[0]} ${later ? this.later(`(() => { ${rest} })`) : rest} ${this.listeners(s, ["readable"])} ${take}`;
  }

  composed() {
    const s = this.name("s");
    const call = this.pick([
      () => `${this.source()}.compose(${this.step()})`,
      () => `compose(${this.source()}, ${this.step()})`,
      () => `compose(${this.source()}, ${this.transform()}, ${this.step()})`,
    ])();
    return `const ${s} = ${call}; ${s}.on("error", (error) => { ${this.log(", error.message")} }); ${this.listeners(s, ["readable"])} ${s}.on("data", (chunk) => { ${this.log(", String(chunk)")} });`;
  }

  emitted() {
    const s = this.name("s");
    return `const ${s} = ${this.source()}; ${this.listeners(s, ["readable"])} (async () => { const end = new AbortController(); ${s}.on("end", () => end.abort()).on("close", () => end.abort()); for await (const [chunk] of on(${s}, "data", { signal: end.signal })) { ${this.log(", String(chunk)")} } })().catch((error) => { ${this.log(", error.name")} });`;
  }

  /** A source that is pushed to from outside. */
  pushed() {
    const s = this.name("s");
    const push = (what) => `p(${JSON.stringify(this.name("L"))}, ${s}.push(${what}));`;
    return `const ${s} = new Readable({ objectMode: true, ${this.mark()}read() { ${this.log()} } }); ${this.listeners(s, ["readable"])} ${push(1)} ${this.later(`(() => { ${push(2)} ${push(3)} })`)} ${this.pick([`${s}.on("data", (chunk) => { ${this.log(", chunk")} });`, `${s}.pipe(${this.sink()});`])} setTimeout(() => { ${push("null")} ${this.chance(0.15) ? push(4) : ""} }, ${this.pick([0, 5, 40])});`;
  }

  doubled() {
    const s = this.name("d");
    const n = this.name("n");
    const composed = this.pick([
      () =>
        `new Duplex({ objectMode: true, ${this.mark()}${this.chance(0.3) ? "allowHalfOpen: false, " : ""}read() { ${this.log()} ${this.chance(0.5) ? `this.push(++this.${n} > 2 || !this.${n} ? null : this.${n});` : `this.push(null);`} }, write(chunk, encoding, done) { ${this.log(", chunk")} ${this.later("(() => done())")} }, final(done) { ${this.log()} done(); } })`,
      () =>
        `Duplex.from(async function* (source) { for await (const chunk of source) { ${this.log(", String(chunk)")} yield chunk; } })`,
      () => `Duplex.from({ readable: ${this.source()}, writable: ${this.sink()} })`,
      () => `Duplex.from((async function* () { yield "a"; yield "b"; })())`,
      () => `Duplex.from(Promise.resolve("value"))`,
    ])();
    const isWritable = !composed.includes('yield "a"') && !composed.includes('resolve("value")');
    return `const ${s} = ${composed}; ${s}.${n} = 0; ${s}.on("error", (error) => { ${this.log(", error.message")} }); ${this.listeners(s, ["readable", "writable"])} ${s}.on("data", (chunk) => { ${this.log(", String(chunk)")} }); ${isWritable ? `${s}.write("x"); ${this.later(`(() => ${s}.end("y"))`)}` : ""}`;
  }

  webMark() {
    return this.pick([
      "",
      ", { highWaterMark: 0 }",
      ", { highWaterMark: 2 }",
      ", new CountQueuingStrategy({ highWaterMark: 3 })",
    ]);
  }

  webSource() {
    const n = this.name("n");
    const last = this.chance(0.15) ? `c.error(${this.error()})` : "c.close()";
    const step = `if (++${n} > ${this.below(4)}) ${last}; else c.enqueue(${n});`;
    const pull = this.pick([
      () => `pull(c) { ${this.log(", c.desiredSize")} ${step} }`,
      () => `async pull(c) { ${this.log(", c.desiredSize")} await ${this.promise(3)}; ${step} }`,
      () =>
        `start(c) { ${this.log(", c.desiredSize")} c.enqueue("a"); c.enqueue("b"); ${this.later("(() => c.close())")} }`,
    ])();
    const source = `(() => { let ${n} = 0; return new ReadableStream({ ${pull}, cancel(reason) { ${this.log(", reason?.message ?? reason")} } }${this.webMark()}); })()`;
    return this.pick([() => source, () => source, () => `ReadableStream.from(["a", "b", "c"])`])();
  }

  webSink() {
    const n = this.name("n");
    const fail = this.chance(0.15) ? `if (++${n} === 2) throw ${this.error()};` : "";
    const write = this.pick([
      () => `write(chunk) { ${this.log(", chunk")} ${fail} }`,
      () => `async write(chunk) { ${this.log(", chunk")} ${fail} await ${this.promise(3)}; }`,
    ])();
    return `(() => { let ${n} = 0; return new WritableStream({ ${write}, close() { ${this.log()} }, abort(reason) { ${this.log(", reason?.message ?? reason")} } }${this.webMark()}); })()`;
  }

  webStep() {
    return `new TransformStream({ ${this.pick([`async transform(chunk, c) { await ${this.promise(3)}; c.enqueue(chunk); }`, `transform(chunk, c) { ${this.log(", chunk")} c.enqueue(chunk); }`])}, flush() { ${this.log()} } }${this.webMark()})`;
  }

  webRead() {
    const r = this.name("r");
    return this.pick([
      () =>
        `const ${r} = ${this.webSource()}.getReader(); (async () => { for (;;) { const { value, done } = await ${r}.read(); ${this.log(", value, done")} if (done) break; } })().catch((error) => { ${this.log(", error.message")} });`,
      () =>
        `(async () => { for await (const chunk of ${this.webSource()}) { ${this.log(", chunk")} ${this.pick(["", "", "break;", `throw ${this.error()};`])} } })().catch((error) => { ${this.log(", error.message")} });`,
      () =>
        `const ${r} = ${this.webSource()}.tee(); for (const branch of ${r}) (async () => { for await (const chunk of branch) { ${this.log(", chunk")} } ${this.log()} })().catch((error) => { ${this.log(", error.message")} });`,
      () =>
        `const ${r} = ${this.webSource()}.getReader(); ${r}.closed.then(() => { ${this.log()} }, (error) => { ${this.log(", error.message")} }); ${r}.read().then(({ value }) => { ${this.log(", value")} }, () => {}); ${this.later(`(() => { ${r}.cancel("enough").then(() => { ${this.log()} }, () => {}); })`)}`,
    ])();
  }

  webPiped() {
    const c = this.name("c");
    const through = this.chance(0.5) ? `.pipeThrough(${this.webStep()})` : "";
    const outcome = `.then(() => { ${this.log()} }, (error) => { ${this.log(", error.name, error.message")} });`;
    return this.pick([
      () => `${this.webSource()}${through}.pipeTo(${this.webSink()})${outcome}`,
      () => `${this.webSource()}${through}.pipeTo(${this.webSink()})${outcome}`,
      () =>
        `const ${c} = new AbortController(); ${this.webSource()}${through}.pipeTo(${this.webSink()}, { signal: ${c}.signal })${outcome} ${this.later(`(() => ${c}.abort())`)}`,
    ])();
  }

  webWritten() {
    const w = this.name("w");
    const end = this.pick([`${w}.close()`, `${w}.close()`, `${w}.abort(${this.error()})`]);
    return this.pick([
      () =>
        `const ${w} = ${this.webSink()}.getWriter(); ${w}.closed.then(() => { ${this.log()} }, (error) => { ${this.log(", error.message")} }); (async () => { for (let i = 0; i < ${1 + this.below(4)}; i++) { await ${w}.ready; ${this.log(`, ${w}.desiredSize`)} ${w}.write(i).catch(() => { ${this.log()} }); } await ${end}; ${this.log()} })().catch((error) => { ${this.log(", error.message")} });`,
      () =>
        `const ${w} = ${this.webSink()}.getWriter(); ${w}.closed.catch((error) => { ${this.log(", error.message")} }); ${w}.ready.catch(() => {}); for (let i = 0; i < 3; i++) ${w}.write(i).then(() => { ${this.log(", i")} }, (error) => { ${this.log(", i, error.message")} }); ${end}.then(() => { ${this.log()} }, () => { ${this.log()} });`,
    ])();
  }

  /** From one kind of stream to the other. */
  bridged() {
    const s = this.name("s");
    const outcome = `.then(() => { ${this.log()} }, (error) => { ${this.log(", error.name, error.message")} });`;
    return this.pick([
      () =>
        `const ${s} = Readable.fromWeb(${this.webSource()}, { objectMode: true }); ${s}.on("error", (error) => { ${this.log(", error.message")} }); ${this.listeners(s, ["readable"])} ${s}.on("data", (chunk) => { ${this.log(", chunk")} });`,
      () => `Readable.toWeb(${this.source()}).pipeTo(${this.webSink()})${outcome}`,
      () => `joined.pipeline(${this.webSource()}, ${this.step()}, ${this.sink()})${outcome}`,
      () =>
        `(async () => { for await (const chunk of Readable.toWeb(${this.source()})) { ${this.log(", String(chunk)")} ${this.chance(0.2) ? "break;" : ""} } ${this.log()} })().catch((error) => { ${this.log(", error.message")} });`,
      () => `${this.webSource()}.pipeTo(Writable.toWeb(${this.sink()}))${outcome}`,
    ])();
  }
}
