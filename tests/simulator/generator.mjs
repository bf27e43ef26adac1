// Programs about the event loop, made at random from a seed: the same seed, the same program.

const DELAYS = [0, 0, 1, 1, 2, 5, 40, 40, 80, 120];

/** {source, kind}: the program of a seed; with `hasMore`, of files, streams, stores and channels, too. */
export function programOf(seed, hasMore = false) {
  return new Program(seed, hasMore).made();
}

export class Program {
  constructor(seed, hasMore) {
    this.hasMore = hasMore;
    this.state = (seed * 2654435761) >>> 0 || 1;
    for (let step = 0; step < 8; step++) this.random();
    this.names = 0;
    this.budget = 6 + this.below(22);
    this.kind = this.below(3) === 0 ? "esm" : "cjs";
    this.calm = 0; // where it is not 0, nothing is thrown: a handler of errors that throws never ends
  }

  random() {
    let x = this.state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x >>> 0;
    return this.state / 2 ** 32;
  }

  below(count) {
    return Math.floor(this.random() * count);
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  chance(share) {
    return this.random() < share;
  }

  name(letter) {
    return `${letter}${++this.names}`;
  }

  log(more = "") {
    return `p(${JSON.stringify(this.name("L"))}${more});`;
  }

  delay() {
    return this.pick(DELAYS);
  }

  /** The statements that load what the program uses. */
  head() {
    return this.kind === "esm"
      ? [
          `import { EventEmitter, on, once } from "node:events";`,
          `import * as timers from "node:timers/promises";`,
          `import fs from "node:fs";`,
          `import { AsyncLocalStorage } from "node:async_hooks";`,
          `import { Readable, Transform, Writable, pipeline } from "node:stream";`,
          `const FILE = process.argv[1];`,
        ]
      : [
          `const { EventEmitter, on, once } = require("node:events");`,
          `const timers = require("node:timers/promises");`,
          `const fs = require("node:fs");`,
          `const { AsyncLocalStorage } = require("node:async_hooks");`,
          `const { Readable, Transform, Writable, pipeline } = require("node:stream");`,
          `const FILE = __filename;`,
        ];
  }

  made() {
    const head = [...this.head(), `const p = console.log;`];
    const handlers = [];
    if (this.chance(0.35))
      handlers.push(
        `process.on("uncaughtException", (error, origin) => { ${this.log(", error.message, origin")}${this.chance(0.4) ? this.calmBody() : ""} });`,
      );
    if (this.chance(0.3))
      handlers.push(
        `process.on("unhandledRejection", (error) => { ${this.log(", error?.message ?? error")}${this.chance(0.3) ? this.calmBody() : ""} });`,
      );
    if (this.chance(0.15))
      handlers.push(`process.on("rejectionHandled", () => { ${this.log()} });`);
    if (this.chance(0.3))
      handlers.push(
        `process.on("exit", (code) => { ${this.log(", code")}${this.chance(0.3) ? this.calmBody() : ""} });`,
      );
    if (this.chance(0.15))
      handlers.push(`process.once("beforeExit", () => { ${this.log()}${this.calmBody()} });`);
    const body = [];
    while (this.budget > 0) body.push(this.statement(0, this.kind === "esm"));
    return { kind: this.kind, source: [...head, ...handlers, ...body, this.log()].join("\n") };
  }

  /** Statements of a handler. */
  calmBody() {
    this.calm++;
    const text = this.body(2);
    this.calm--;
    return text;
  }

  /** Statements of a callback. */
  body(depth, isAsync = false) {
    const lines = [this.log()];
    const count = depth > 3 ? 0 : this.below(3);
    for (let n = 0; n < count && this.budget > 0; n++) lines.push(this.statement(depth, isAsync));
    if (!this.calm && this.chance(0.04))
      lines.push(`throw new Error(${JSON.stringify(this.name("E"))});`);
    return lines.join(" ");
  }

  callback(depth, parameters = "") {
    return this.chance(0.12)
      ? `async (${parameters}) => { ${this.body(depth + 1, true)} }`
      : `(${parameters}) => { ${this.body(depth + 1)} }`;
  }

  /** An expression to be awaited, or to be chained to. */
  promise(depth) {
    const kinds = [
      () => "null",
      () => `Promise.resolve(${this.below(9)})`,
      () => `timers.setTimeout(${this.delay()})`,
      () => "timers.setImmediate()",
      () => `new Promise((resolve) => { ${this.log()} setTimeout(resolve, ${this.delay()}); })`,
      () => `new Promise((resolve) => { ${this.log()} process.nextTick(resolve); })`,
      () => `new Promise((resolve) => setImmediate(resolve))`,
      () => `new Promise((resolve) => { resolve(Promise.resolve()); })`,
      () => `({ then(resolve) { ${this.log()} resolve(${this.below(9)}); } })`,
      () => `(async () => { ${this.body(depth + 1, true)} })()`,
      () => `(async () => { return Promise.resolve(${this.below(9)}); })()`,
      () =>
        `Promise.all([${this.chance(0.5) ? this.promise(depth + 1) : "1"}, Promise.resolve(2)])`,
      () =>
        `Promise.race([${depth < 3 ? this.promise(depth + 1) : "1"}, ${depth < 3 ? this.promise(depth + 1) : "2"}])`,
      () => `Promise.any([Promise.reject(new Error("no")), Promise.resolve(3)])`,
      () => `Promise.allSettled([Promise.reject(new Error("no")), Promise.resolve(3)])`,
    ];
    return this.pick(depth > 3 ? kinds.slice(0, 8) : kinds)();
  }

  rejected() {
    const error = `new Error(${JSON.stringify(this.name("E"))})`;
    return this.pick([
      `Promise.reject(${error})`,
      `(async () => { throw ${error}; })()`,
      `(async () => { await null; throw ${error}; })()`,
      `new Promise((_, reject) => setTimeout(reject, ${this.delay()}, ${error}))`,
      `new Promise((_, reject) => process.nextTick(reject, ${error}))`,
      `Promise.resolve().then(() => { throw ${error}; })`,
    ]);
  }

  statement(depth, isAsync) {
    this.budget--;
    const weighted = [
      [3, () => this.log()],
      [6, () => `setTimeout(${this.callback(depth)}, ${this.delay()});`],
      [6, () => `setImmediate(${this.callback(depth)});`],
      [6, () => `process.nextTick(${this.callback(depth)});`],
      [5, () => `queueMicrotask(${this.callback(depth)});`],
      [5, () => this.chain(depth)],
      [5, () => this.asynchronous(depth)],
      [isAsync ? 8 : 0, () => `await ${this.promise(depth)}; ${this.log()}`],
      [
        isAsync ? 2 : 0,
        () => `try { await ${this.rejected()}; } catch (error) { ${this.log(", error.message")} }`,
      ],
      [2, () => this.interval(depth)],
      [2, () => this.cleared(depth)],
      [1, () => this.unreferenced(depth)],
      [2, () => this.emitter(depth)],
      [2, () => this.iteration(depth)],
      [2, () => this.aborted(depth)],
      [1, () => this.refreshed(depth)],
      [this.hasMore ? 3 : 0, () => this.file(depth)],
      [this.hasMore ? 1.5 : 0, () => this.stream(depth)],
      [this.hasMore ? 1.5 : 0, () => this.stored(depth)],
      [this.hasMore ? 1 : 0, () => this.channel(depth)],
      [this.calm ? 0 : 1.2, () => `${this.rejected()};`],
      [this.calm ? 0 : 1, () => this.late(depth)],
      [0.3, () => `process.exitCode = ${this.below(4)};`],
      [depth > 1 ? 0.3 : 0, () => `process.exit(${this.below(4)});`],
    ];
    let at = this.random() * weighted.reduce((total, [weight]) => total + weight, 0);
    for (const [weight, make] of weighted) {
      at -= weight;
      if (at < 0) return make();
    }
    return this.log();
  }

  chain(depth) {
    const links = [];
    for (let n = 1 + this.below(3); n > 0; n--)
      links.push(
        this.pick([
          () => `.then(${this.callback(depth)})`,
          () => `.then(${this.callback(depth)})`,
          () =>
            `.then(() => { ${this.log()} return ${depth > 3 ? "1" : this.promise(depth + 1)}; })`,
          () => `.finally(() => { ${this.log()} })`,
          () => `.catch((error) => { ${this.log(", error.message")} })`,
        ])(),
      );
    const start =
      !this.calm && this.chance(0.2) ? this.rejected() : `Promise.resolve(${this.below(9)})`;
    return `${start}${links.join("")}${this.chance(0.7) ? `.catch((error) => { ${this.log(", error.message")} })` : ""};`;
  }

  asynchronous(depth) {
    const parts = [this.log()];
    for (let n = 1 + this.below(3); n > 0; n--) {
      parts.push(`await ${this.promise(depth + 1)};`, this.log());
      if (this.chance(0.3) && this.budget > 0) parts.push(this.statement(depth + 1, true));
    }
    const tail = this.chance(0.4) ? `.then(${this.callback(depth)})` : "";
    return `(async () => { ${parts.join(" ")} })()${tail};`;
  }

  interval(depth) {
    const name = this.name("h");
    const count = this.name("n");
    return `let ${count} = 0; const ${name} = setInterval(() => { if (++${count} >= ${1 + this.below(3)}) clearInterval(${name}); ${this.body(depth + 1)} }, ${this.pick([1, 5, 40, 40, 60])});`;
  }

  cleared(depth) {
    const name = this.name("h");
    const [set, clear] = this.pick([
      [`setTimeout(${this.callback(depth)}, ${this.delay()})`, "clearTimeout"],
      [`setImmediate(${this.callback(depth)})`, "clearImmediate"],
    ]);
    const when = this.pick([
      (call) => `${call};`,
      (call) => `setImmediate(() => { ${this.log()} ${call}; });`,
      (call) => `process.nextTick(() => { ${this.log()} ${call}; });`,
      (call) => `setTimeout(() => { ${this.log()} ${call}; }, ${this.delay()});`,
    ]);
    return `const ${name} = ${set}; ${when(`${clear}(${name})`)}`;
  }

  unreferenced(depth) {
    return this.pick([
      () => `setTimeout(${this.callback(depth)}, ${this.delay()}).unref();`,
      () => `setTimeout(${this.callback(depth)}, ${this.delay()}).unref().ref();`,
      () => `setImmediate(${this.callback(depth)}).unref();`,
    ])();
  }

  refreshed(depth) {
    const name = this.name("h");
    return `const ${name} = setTimeout(${this.callback(depth)}, ${this.pick([40, 80])}); setTimeout(() => { ${this.log()} ${name}.refresh(); }, ${this.pick([1, 20])});`;
  }

  emitter(depth) {
    const name = this.name("e");
    return this.pick([
      () =>
        `const ${name} = new EventEmitter(); ${name}.${this.pick(["on", "once"])}("x", ${this.callback(depth)}); ${name}.on("x", () => { ${this.log()} }); ${name}.emit("x");`,
      () =>
        `const ${name} = new EventEmitter(); once(${name}, "x").then(() => { ${this.log()} }); ${this.pick([`setImmediate(() => ${name}.emit("x"))`, `process.nextTick(() => ${name}.emit("x"))`, `${name}.emit("x")`])};`,
      () =>
        `const ${name} = new EventEmitter({ captureRejections: true }); ${name}.on("x", async () => { ${this.log()} throw new Error("inside"); }); ${name}.on("error", (error) => { ${this.log(", error.message")} }); ${name}.emit("x");`,
      () =>
        `const ${name} = new EventTarget(); ${name}.addEventListener("x", () => { ${this.log()} }, { once: ${this.chance(0.5)} }); ${name}.dispatchEvent(new Event("x"));`,
    ])();
  }

  iteration(depth) {
    const name = this.name("g");
    return this.pick([
      () =>
        `(async () => { async function* ${name}() { for (let i = 0; i < ${1 + this.below(3)}; i++) { ${this.log()} ${this.chance(0.5) ? `await ${this.promise(depth + 2)};` : ""} yield i; } } for await (const i of ${name}()) { p(${JSON.stringify(this.name("L"))}, i); ${this.chance(0.2) ? "break;" : ""} } ${this.log()} })();`,
      () =>
        `(async () => { for await (const i of [1, Promise.resolve(2), 3]) { p(${JSON.stringify(this.name("L"))}, i); } })();`,
      () =>
        `(async () => { let ${name} = 0; for await (const _ of timers.setInterval(${this.pick([5, 40])})) { ${this.log()} if (++${name} > 1) break; } ${this.log()} })();`,
      () =>
        `(async () => { const ${name} = new EventEmitter(); setImmediate(() => { ${name}.emit("x", 1); ${name}.emit("x", 2); }); for await (const [i] of on(${name}, "x")) { p(${JSON.stringify(this.name("L"))}, i); if (i === 2) break; } })();`,
    ])();
  }

  aborted() {
    const name = this.name("c");
    return this.pick([
      () =>
        `const ${name} = new AbortController(); ${name}.signal.addEventListener("abort", () => { ${this.log()} }); setTimeout(() => { ${this.log()} ${name}.abort(); ${this.log()} }, ${this.delay()});`,
      () =>
        `const ${name} = new AbortController(); timers.setTimeout(${this.pick([40, 80])}, null, { signal: ${name}.signal }).then(() => { ${this.log()} }, (error) => { ${this.log(", error.name")} }); ${this.pick([`${name}.abort()`, `setImmediate(() => ${name}.abort())`, `setTimeout(() => ${name}.abort(), ${this.delay()})`])};`,
      () =>
        `AbortSignal.timeout(${this.pick([5, 40])}).addEventListener("abort", () => { ${this.log()} });${this.chance(0.5) ? ` setTimeout(() => { ${this.log()} }, 60);` : ""}`,
      () =>
        `const ${name} = AbortSignal.any([AbortSignal.abort(), new AbortController().signal]); p(${name}.aborted);`,
    ])();
  }

  file(depth) {
    return this.pick([
      () => `fs.readFile(FILE, ${this.callback(depth)});`,
      () => `fs.stat(FILE, ${this.callback(depth)});`,
      () =>
        `fs.access(FILE + ".none", (error) => { ${this.log(", error.code")}${this.body(depth + 1)} });`,
      () => `fs.promises.readFile(FILE, "utf8").then(() => { ${this.body(depth + 1)} });`,
      () => `fs.promises.stat(FILE).then((info) => { ${this.log(", info.isFile()")} });`,
      () =>
        `(async () => { const handle = await fs.promises.open(FILE); ${this.log()} await handle.close(); ${this.log()} })();`,
      () => `p(fs.existsSync(FILE), fs.readFileSync(FILE).length > 9);`,
    ])();
  }

  stream(depth) {
    const name = this.name("s");
    return this.pick([
      () =>
        `const ${name} = Readable.from(["a", "b"]); ${name}.on("data", (chunk) => { ${this.log(", chunk")} }).on("end", ${this.callback(depth)});`,
      () =>
        `pipeline(Readable.from([1, 2, 3]), new Transform({ objectMode: true, transform(chunk, _, done) { ${this.log(", chunk")} done(null, chunk); } }), new Writable({ objectMode: true, highWaterMark: 1, write(chunk, _, done) { ${this.log(", chunk")} ${this.pick(["done();", "setImmediate(done);", "process.nextTick(done);", "setTimeout(done, 5);"])} } }), () => { ${this.log()} });`,
      () =>
        `(async () => { for await (const chunk of Readable.from([1, 2])) { ${this.log(", chunk")} } ${this.log()} })();`,
      () =>
        `const ${name} = new Writable({ write(chunk, _, done) { ${this.log()} done(${this.chance(0.3) ? 'new Error("full")' : ""}); } }); ${name}.on("error", () => { ${this.log()} }).on("finish", () => { ${this.log()} }).on("close", () => { ${this.log()} }); ${name}.write("x"); ${name}.end();`,
    ])();
  }

  stored(depth) {
    const name = this.name("a");
    return `const ${name} = new AsyncLocalStorage(); ${name}.run(${JSON.stringify(name)}, async () => { ${this.log(`, ${name}.getStore()`)} await ${this.promise(depth + 2)}; ${this.log(`, ${name}.getStore()`)} setTimeout(() => { ${this.log(`, ${name}.getStore()`)} }, 40); Promise.resolve().then(() => { ${this.log(`, ${name}.getStore()`)} }); process.nextTick(() => { ${this.log(`, ${name}.getStore()`)} }); });`;
  }

  channel(depth) {
    const name = this.name("m");
    return `const ${name} = new MessageChannel(); ${name}.port2.on("message", (value) => { ${this.log(", value")} if (value === 2) ${name}.port2.close(); }); ${name}.port1.postMessage(1); ${this.pick([`${name}.port1.postMessage(2);`, `setImmediate(() => ${name}.port1.postMessage(2));`])}${depth ? "" : ` ${this.log()}`}`;
  }

  late() {
    const name = this.name("q");
    return `const ${name} = ${this.rejected()}; ${this.pick(["setTimeout", "setImmediate", "process.nextTick"])}(() => { ${this.log()} ${name}.catch((error) => { ${this.log(", error.message")} }); });`;
  }
}
