// A machine that runs a program as one Node would: the engine with Node's modules loaded, once, and
// the program on it as often as one likes, each time from the same state.

import { addressIn } from "./address.js";
import { complete } from "./complete.js";
import { createEngine, EngineError } from "./engine.js";
import { expressionAt, iterableIn } from "./expression.js";
import {
  areEndless,
  calledAt,
  failureIn,
  firstFunction,
  framesOf,
  functionAround,
  functionIn,
  placeOf,
  sourceOffset,
} from "./frames.js";
import { inLocale, lettersOf } from "./locale.js";
import { WRAPPER } from "./program.js";

const EPOCH = Date.UTC(2026, 0, 1, 9, 41, 27, 613); // no round number: a program may count with it
const DEFAULTS = { mostLines: 10_000, mostMB: 192, limitMs: 2000, clock: () => performance.now() };
const MOST_DELAY_MS = 30;
/** Bytes of the engine's stack for more calls than Node's, which holds 16,000 of the smallest functions once V8 has compiled them. */
export const DEEP_STACK = 4_500_000;
// Up to the first, Node's stack holds the same calls; beyond the second, Node's may hold none.
const MAY_BE_DEEP = 600_000;
const IS_TOO_DEEP = 1_700_000;
/** The texts that are evaluated inside, in this order; each is one function, and its file's last statement. */
export const INSIDE = [
  "realm",
  "bytes",
  "hooks",
  "loop",
  "disk",
  "work",
  "process",
  "language",
  "trace",
];
/** The texts that are evaluated inside only for programs that need them. */
export const INSIDE_LATER = [
  "sockets",
  "http",
  "url",
  "hash",
  "json",
  "features",
  "messages",
  "symbols",
  "transfer",
  "formats",
  "using",
];
/** The texts that are evaluated inside only for programs on a disk. */
export const INSIDE_ON_DISK = ["files"];
/** The texts that are evaluated inside only for a server with its clients. */
export const INSIDE_SERVERS = ["serving"];
/** The text that is evaluated inside only for guests. */
export const INSIDE_OF_GUESTS = ["guest"];
/** Under what name a page's texts have one of these. */
export const laterName = (name) => `model/${name}`;

/** What the model does not do; its message says what, and how to run the program for real. */
export class NotModelledError extends Error {
  name = "NotModelledError";
}

/**
 * A machine of a Node, {version, versions, texts}; texts that went through `complete` say `isCompleted`. With DEEP_STACK as
 * `stackBytes` it follows twice as many calls as Node does, on a thread with a stack of STACK_MB (deep.mjs).
 */
export async function createMachine(node, parts, wanted = {}) {
  const { stackBytes } = wanted;
  const engine = await createEngine(parts.binary, stackBytes ? { ...parts, stackBytes } : parts);
  return new Machine(engine, node, parts, { ...DEFAULTS, ...wanted });
}

// A name that may be one of a module: what follows a quotation mark, up to the next.
const MODULE_NAME = /(?<=["'`](?:node:)?)[a-z_]+(?:\/[a-z]+)?(?=["'`])/g;
// Global names for which a module is loaded.
const GLOBALS = [
  [/\b(?:Readable|Writable|Transform)Stream\b/, "stream/web"],
  [/\b(?:Buffer|atob|btoa)\b/, "buffer"],
  [/\b(?:Event|EventTarget|CustomEvent)\b/, "internal/event_target"],
  [/\bAbort(?:Controller|Signal)\b/, "internal/abort_controller"],
];
const CLOCK_EVERY = 8;
const LEFT_FOR_RESULT = 0.4; // of the time of a run with clients
const SOCKETS = new Set(["http", "net"]); // for which a server with clients has its own
const MOST_LACKING = 1000;
const MOST_STATES = 3; // some megabytes each
const NO_PROGRAM = { source: "", file: "program", kind: "cjs" };

const encoder = new TextEncoder();

/** A text's bytes in UTF-8, one character each. */
export const latin1Of = (text) =>
  Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join("");

/** The texts of the program's files that are code. */
const textOf = ({ source, files = {}, texts = [] }) =>
  [source, ...texts, ...Object.values(files).map((file) => file.source ?? "")].join("\n");

const hasStores = (program) => /AsyncLocalStorage|async_hooks/.test(textOf(program));

/** The path in the name of a module that is a file; null for another name. The engine's names of files have nothing escaped. */
const pathOf = (name) => (name.startsWith("file:///") ? name.slice(7) : null);
const escaped = (path) => encodeURI(path).replaceAll("#", "%23").replaceAll("?", "%3F");

/** The name of a module as `base` imports it: for what is relative to the base's file, "file://" and its path. */
function addressOf(base, name) {
  if (!/^(\.{1,2}(\/|$)|\/|file:)/.test(name)) return name;
  try {
    const { pathname } = new URL(name, `file://${escaped(pathOf(base) ?? base)}`);
    return `file://${decodeURIComponent(pathname)}`;
  } catch {
    return name;
  }
}

/** The words of the error that an action throws; null if none. */
function attempt(action) {
  try {
    action();
    return null;
  } catch (error) {
    return error.message;
  }
}

class Machine {
  constructor(engine, node, parts, limits) {
    this.engine = engine;
    this.limits = limits;
    this.node = node;
    this.acorn = parts.acorn;
    this.parts = parts;
    this.completion = { program: null, text: "" };
    this.isWatched = false;
    this.refusal = null;
    this.isStopped = false;
    /** What a program asked for and has not, as JSON of {kind, place, name}; `place` is its path. */
    this.lacking = new Set();
    this.deadline = Number.POSITIVE_INFINITY;
    this.questions = 0;
    engine.shouldInterrupt = () => this.#isOver();
    engine.loadModule = (name) => this.#moduleText(name);
    this.specifiers = new Map(); // of modules, by their addresses
    this.heads = new Map(); // of modules that the program imports, by their paths: the length of what goes before their text
    engine.nameModule = (base, name) => {
      const address = addressOf(base, name);
      this.specifiers.set(address, name);
      return address;
    };
    this.#boot(parts);
    this.state = engine.snapshot();
    this.loadedStates = new Map(); // by the names of the modules that are loaded in each
  }

  /**
   * The engine's memory as a run of the program begins. Modules of Node that the program's text names
   * are loaded in it already: to load `fs` takes twenty times as long as to run a short program.
   */
  #stateFor(program) {
    const { kind } = program;
    const text = textOf(program);
    const words = new Set(text.match(MODULE_NAME) ?? []);
    for (const [pattern, name] of GLOBALS) if (pattern.test(text)) words.add(name);
    const names = [...words]
      .filter((word) => Object.hasOwn(this.node.texts, word))
      .filter((word) => !(program.serving && SOCKETS.has(word)))
      .sort();
    if (!names.length) return this.state;
    const key = [kind, ...names].join();
    if (!this.loadedStates.has(key)) {
      const { engine } = this;
      engine.restore(this.state);
      engine.clearBehind(this.state);
      this.program = NO_PROGRAM;
      engine.limitMemory(this.limits.mostMB * 2 ** 20);
      const list = engine.evaluate(`(${JSON.stringify(names)})`, "names.js");
      engine.call(this.preload, [engine.string(kind), list]);
      engine.runJobs(() => false);
      if (this.loadedStates.size >= MOST_STATES)
        this.loadedStates.delete(this.loadedStates.keys().next().value);
      this.loadedStates.set(key, engine.snapshot());
    }
    return this.loadedStates.get(key);
  }

  #boot(texts) {
    const { engine, node } = this;
    const host = engine.newFunction("host", (name, ...values) =>
      this[`_${engine.text(name)}`](...values),
    );
    const settings = {
      version: node.version,
      versions: node.versions,
      options: OPTIONS,
      epoch: EPOCH,
      cwd: "/home/you",
      ...this.limits,
    };
    engine.setGlobal("__host", host);
    const bootFunction = engine.evaluate(
      `(() => { const host = globalThis.__host; delete globalThis.__host;
        const settings = ${JSON.stringify(settings)};
        settings.process = { version: settings.version, versions: settings.versions, platform: "linux", env: {}, argv: [] }; settings.file = "program"; settings.shown = () => settings.file.split("/").pop();
        return (realm, ...parts) => { const machine = realm(host, settings); for (const part of parts) part(machine);
          return [machine.begin, machine.moduleText, machine.track, machine.promiseEvent, machine.afterJob, machine.preload,
            () => host("part", "guest")(machine)]; }; })()`,
      "begin.js",
    );
    const functions = INSIDE.map((name) => engine.evaluate(texts[name], `${name}.js`));
    const list = engine.call(bootFunction, functions);
    const at = (index) => engine.ffi.QTS_GetPropNumber(engine.context, list, index);
    [this.begin, this.moduleText] = [at(0), at(1)];
    engine.trackRejections(at(2));
    engine.tellPromises(at(3));
    this.afterJob = at(4);
    this.preload = at(5);
    this.openGuest = at(6);
    engine.runJobs(() => false);
  }

  // --- what the inside may ask -------------------------------------------------------------
  _compile(id, names) {
    const name = this.engine.text(id);
    const text = this.node.texts[name];
    if (text === undefined)
      throw new EngineError(`Node ${this.node.version} has no module ${name}`);
    const completed = this.node.isCompleted ? text : complete(this.acorn, text, false).text;
    return this.engine.evaluate(
      `(function (${this.engine.text(names)}) {${completed}\n})`,
      `node:${name}`,
    );
  }

  /** A part of the model that few programs need, as a function of the machine inside. */
  _part(id) {
    const name = this.engine.text(id);
    const text = this.program.parts?.[name] ?? this.parts[name] ?? this.node.texts[laterName(name)];
    if (text === undefined) throw new EngineError(`The model has no part ${name}`);
    return this.engine.evaluate(text, `${name}.js`);
  }

  _jobs() {
    this.engine.runJobs(() => this.isStopped, this.isWatched ? this.afterJob : null);
  }

  _hook(isTold) {
    this.engine.tellsPromises(this.engine.text(isTold) === "1");
  }

  _promise(value) {
    const isPromise = this.engine.ffi.QTS_PromiseState(this.engine.context, value);
    return this.engine.number(isPromise);
  }

  _result(value) {
    return this.engine.ffi.QTS_PromiseResult(this.engine.context, value);
  }

  _stop() {
    this.isStopped = true;
  }

  _refuse(sentence) {
    return this.#refuse(this.engine.text(sentence));
  }

  #refuse(sentence) {
    this.refusal ??= sentence;
    this.isStopped = true;
    throw new EngineError(this.refusal);
  }

  /** 1 once a run must end, whatever the reason will be. */
  _over() {
    const isLate = this.limits.clock() > this.deadline;
    return this.engine.number(this.refusal !== null || isLate ? 1 : 0);
  }

  /** The stack of an error that the program's overflow has thrown is taken. */
  _shorten() {
    this.engine.shortenStack();
  }

  /**
   * 1 where an overflow is one in Node, too: the engine follows more calls than Node does, or the functions of the frames, as
   * JSON [{line, column, file, beginning, isDirect}], the innermost first, call one another whatever their values are.
   */
  _overflows(request) {
    if (this.engine.stackBytes >= DEEP_STACK) return this.engine.number(1);
    const frames = JSON.parse(this.engine.text(request)).map((place) => ({
      ...this.#nodesAt(place),
      start: place.beginning ? this.#offsetOf(place.beginning) : null,
      isDirect: place.isDirect,
    }));
    return this.engine.number(areEndless(frames) ? 1 : 0);
  }

  /** 1 once a guest has computed for so many milliseconds since it went on. */
  _had(ms) {
    const { limitMs, clock } = this.limits;
    const had = clock() - (this.deadline - limitMs);
    return this.engine.number(had > Number(this.engine.text(ms)) ? 1 : 0);
  }

  /** 1 once the clients of a server are to stop, so that a run that goes on for long shows what it has by then. */
  _late() {
    const { limitMs, clock } = this.limits;
    const mostMs = limitMs * (1 - LEFT_FOR_RESULT) * this.program.serving.share;
    const isLate = clock() > this.deadline - limitMs + mostMs;
    return this.engine.number(isLate ? 1 : 0);
  }

  /** The text of the program, or of another of its files, as the engine takes it; made once for all runs of the program. */
  #text(file = this.program.file) {
    const { program, completion, isWatched: watches } = this;
    if (completion.program !== program || completion.watches !== watches)
      this.completion = {
        program,
        watches,
        others: new Map(),
        frames: new Map(),
        ...complete(this.acorn, program.source, program.kind === "esm", watches),
      };
    return this.#completionOf(file).text;
  }

  /** What became of a file of the program: {text, insertions}. */
  #completionOf(file) {
    const { program, completion } = this;
    const { others: completionsByFile, watches } = completion;
    if (file === program.file) return completion;
    if (!completionsByFile.has(file)) {
      const { source, kind } = program.files[file];
      completionsByFile.set(file, complete(this.acorn, source, kind === "esm", watches));
    }
    return completionsByFile.get(file);
  }

  #kindOf(file) {
    return (file === this.program.file ? this.program : this.program.files[file]).kind;
  }

  /** The offset in a file's completed text of what the engine has at {line, column, file}. */
  #offsetOf({ line, column, file }) {
    const before = this.#text(file)
      .split("\n")
      .slice(0, line - 1)
      .join("\n").length;
    const first = line === 1 ? 0 : 1; // the engine counts columns from 0 in the first line, and from 1 elsewhere
    return before + (line > 1 ? 1 : 0) + column - first - (line === 1 ? this.#headOf(file) : 0);
  }

  /** How much goes before the text of a file in its first line. */
  #headOf(file) {
    if (this.#kindOf(file) === "cjs") return WRAPPER.length;
    return file === this.program.file ? 0 : (this.heads.get(file) ?? 0);
  }

  /** The texts of all files of the program. */
  _source() {
    return this.engine.string(textOf(this.program));
  }

  /** The program's other files and its disk, as JSON: {PATH: {kind, latin1}}. */
  _files() {
    const { file, source, kind, files, cwd } = this.program;
    const entries = { [file]: { kind, latin1: latin1Of(source) }, ...files };
    return this.engine.string(JSON.stringify({ cwd, entries, isOnDisk: Boolean(files) }));
  }

  /** Notes that the program asks for what it has not. */
  _lack(entry) {
    if (this.lacking.size < MOST_LACKING) this.lacking.add(this.engine.text(entry));
  }

  /** A file that is CommonJS, as a function. */
  _commonjs(path) {
    const file = this.engine.text(path);
    const text = this.#text(file).replace(/^#!/, "//");
    return this.#evaluated(`${WRAPPER}${text}\n})`, file, false);
  }

  _module() {
    return this.#evaluated(this.#text(), `file://${this.program.file}`, true);
  }

  /** The value of code of the program, which parses; refused where it does not parse for the engine, as regular expressions of V8's. */
  #evaluated(text, file, isModule) {
    try {
      return this.engine.evaluate(text, file, { isModule });
    } catch (error) {
      if (error.thrown?.name === "SyntaxError" && this.refusal === null) {
        const words = attempt(() =>
          this.engine.evaluate(text, file, { isModule, compileOnly: true }),
        );
        if (words) {
          const name = file.split("/").pop();
          this.#refuse(
            `The engine of the model cannot read a part of ${name} (${words}). To run it for real: node ${name}`,
          );
        }
      }
      throw error;
    }
  }

  /** What the program calls, makes or assigns at {line, column, file} of the engine's, as JSON both. */
  _expression(request) {
    const position = JSON.parse(this.engine.text(request));
    const text = this.#text(position.file);
    const isModule = this.#kindOf(position.file) === "esm";
    const expression = expressionAt(this.acorn, text, isModule, this.#offsetOf(position));
    const isOurs = expression?.text.startsWith("__"); // what `complete` put there
    return this.engine.string(JSON.stringify(isOurs ? null : expression));
  }

  /** What is iterated at {line, column, file, beginning} of the engine's, as JSON both. */
  _iterable(request) {
    const { beginning, ...position } = JSON.parse(this.engine.text(request));
    const { nodes, tree, place } = this.#nodesAt(position);
    const called = beginning
      ? firstFunction(tree, this.#offsetOf(beginning))
      : functionAround(nodes, place);
    const iterable = called && iterableIn(called);
    const isOurs = iterable?.text.includes("__"); // what `complete` put there
    return this.engine.string(JSON.stringify(isOurs ? null : iterable));
  }

  /**
   * A frame of a stack as V8 has it, {name, line, column} as JSON, of the engine's as JSON: {line, column, file, name,
   * property, callee, isTop, words, beginning, caller}, `property` and `callee` what is read, written or called there, `caller` {line,
   * column, file} of the program, {name} of Node, or null.
   */
  _frame(request) {
    const key = this.engine.text(request);
    const engineFrame = JSON.parse(key);
    this.#text(); // of this run
    const { frames } = this.completion;
    if (!frames.has(key))
      frames.set(
        key,
        JSON.stringify(this.#frame(engineFrame, this.#completionOf(engineFrame.file))),
      );
    return this.engine.string(frames.get(key));
  }

  #frame(engineFrame, { insertions }) {
    const { name, caller, file } = engineFrame;
    let at = this.#nodesAt(engineFrame);
    const { beginning, words, property } = engineFrame;
    const start = beginning ? this.#offsetOf(beginning) : null;
    const failure = beginning ? failureIn(at, start, words, property) : null;
    if (failure !== null) at = { ...at, nodes: at.around(failure), place: failure };
    const from = caller?.file ? this.#nodesAt(caller) : caller;
    const { program } = this;
    const { source } = file === program.file ? program : program.files[file];
    const place = sourceOffset(insertions, failure ?? placeOf(at, at.place, engineFrame));
    const before = source.slice(0, place).split("\n");
    const line = before.length;
    return { name: functionIn(at, name, from), line, column: before.at(-1).length + 1 };
  }

  /** The call at a place of a source, as far as it is on one line. */
  _called(place) {
    const { file, line, column } = JSON.parse(this.engine.text(place));
    const path = pathOf(file.replace(/^file:\/+/, "file:///")) ?? file;
    const { source, kind } = path === this.program.file ? this.program : this.program.files[path];
    const lines = source.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const called = calledAt(
      framesOf(this.acorn, source, kind === "esm"),
      before + Number(column) - 1,
    );
    const text = called ? source.slice(called.start, called.end).split("\n")[0] : lines[line - 1];
    return this.engine.string(text);
  }

  /** The nodes around the place that the engine has as {line, column, file}. */
  #nodesAt(position) {
    const { file } = position;
    const text = this.#text(file);
    const completion = this.#completionOf(file);
    completion.tree ??= framesOf(this.acorn, text, this.#kindOf(file) === "esm");
    const place = this.#offsetOf(position);
    return { ...completion.tree, nodes: completion.tree.around(place), place, text };
  }

  /** What a method makes of its values in a language or a time zone, as JSON: {value} or {error}. */
  _locale(request) {
    return this.engine.string(inLocale(this.engine.text(request)));
  }

  /** The result of a function of Math, or the text of a number in a base, by the function's name and its values. */
  _math(request) {
    const [name, ...values] = this.engine.text(request).split(",");
    const numbers = values.map(Number);
    const [first, ...rest] = numbers;
    const result = name === "toString" ? first.toString(...rest) : Math[name](...numbers);
    return this.engine.string(`${result}`);
  }

  /** The letters of an encoding that has one byte for each, as JSON. */
  _letters(encoding) {
    return this.engine.string(JSON.stringify(lettersOf(this.engine.text(encoding))));
  }

  /** An address and where its parts are, as JSON. */
  _address(request) {
    return this.engine.string(addressIn(this.engine.text(request)));
  }

  /** True once a run must end: code, also that of a promise, is left at once where it asks. */
  #isOver() {
    // Some clocks take longer to read than the engine works between two questions.
    const isAsked = this.questions++ % CLOCK_EVERY === 0;
    if (isAsked && this.refusal === null && this.limits.clock() > this.deadline) {
      this.isLate = true;
      this.refusal =
        `The program was stopped after ${this.limits.limitMs / 1000} s, because ` +
        "of a loop, or of ticks, promises or turns of the loop that never end.";
      this.isStopped = true;
    }
    return this.refusal !== null;
  }

  /** The text of a module that is imported: of Node's, of the model's, or of another file of the program. */
  #moduleText(name) {
    const { engine, program } = this;
    const file = pathOf(name);
    const entry = program.files?.[file] ?? {};
    const { names } = entry;
    const kind = entry.kind === "data" ? undefined : entry.kind; // the host may have it as a module, too
    const specifier = this.specifiers.get(name) ?? name;
    const values = [name, kind ?? "", file ?? "", JSON.stringify(names ?? []), specifier];
    const pointers = values.map((value) => engine.string(value));
    const text = engine.text(engine.call(this.moduleText, pointers));
    this.heads.set(file, text.length);
    return kind === "esm" ? text + this.#text(file).replace(/^#!/, "//") : text;
  }

  // --- runs --------------------------------------------------------------------------------
  /** What was put into each line of the program: [line, column in the source, length]. */
  #shifts() {
    const { source, kind } = this.program;
    const shifts = kind === "cjs" ? [[1, 0, WRAPPER.length]] : [];
    for (const { place, text, length } of this.completion.insertions) {
      const lines = source.slice(0, place).split("\n");
      if (!length) shifts.push([lines.length, lines.at(-1).length, text.length]);
    }
    return shifts;
  }

  /**
   * One run of {source, file, kind}: {chunks, noted, code}, as the schedule has it; of a traced run
   * also `rows`, and `shifts`, what the engine's columns have more than the source's. A program may have `cwd`, and `files`
   * besides itself: {PATH: {kind, source, latin1, names, imports}}, `kind` "esm", "cjs", "json", "data" or "folder", `latin1` the
   * bytes, `names` what can be imported of CommonJS, `imports` what a module imports.
   * On `isAnotherDay` the date and the random numbers are others; with `skewMs` the clock that the program reads goes on
   * by so much at each reading, and nothing else changes. With a number as `draw` the times are drawn by
   * chance from that seed, and `drawn` of the result is the schedule that they amount to. `noted` are the readings
   * after that with the number `last`. `asked` says whether the program has read the `clock`, and what differs by `chance` or
   * with the day, or has read a `stack`, whether its calls overflowed (`depth`), or are so deep that Node's may (`manyCalls`). Only a
   * share of the stack is there with `stackShare`; with `hasMoreFrames` each stack has one more frame. Of a program with clients, `serving`, `served` is what they got (servers.js).
   */
  run(program, schedule = {}, options = {}) {
    const { mostMs = MOST_DELAY_MS, isTraced: traces = false, isAnotherDay = false } = options;
    const { draw = 0, last = -1, skewMs = 0, hasMoreFrames = false, stackShare = 1 } = options;
    const { engine } = this;
    this.restart(program, traces);
    engine.shortenStack(stackShare);
    const plan = {
      ...{ schedule, mostMs, isTraced: traces, isWatched: this.isWatched },
      ...{ hasStores: hasStores(program), isAnotherDay, draw, last, skewMs, hasMoreFrames },
      serving: program.serving,
    };
    const given = engine.evaluate(`(${JSON.stringify(plan)})`, "schedule.js");
    const values = [engine.string(program.kind), engine.string(program.file), given];
    return this.told(() => {
      let result = null;
      let marks = 0;
      try {
        result = JSON.parse(engine.text(engine.call(this.begin, values)));
      } finally {
        marks = engine.passed([MAY_BE_DEEP, IS_TOO_DEEP]); // the next run begins with a clean stack
      }
      if (this.refusal) throw new NotModelledError(this.refusal);
      if (marks > 1 && !result.asked.depth)
        throw new NotModelledError(
          `Functions call one another more deeply here than Node's stack is sure to hold. To run it for real: node ${program.file.split("/").pop()}`,
        );
      result.asked.manyCalls = marks > 0 && !result.asked.depth;
      if (traces) result.shifts = this.#shifts();
      return result;
    });
  }

  /** Puts the engine's memory into the state that a program begins with. */
  restart(program, traces) {
    const { engine } = this;
    this.goOn(program);
    this.deadline = Number.POSITIVE_INFINITY;
    engine.restore(this.#stateFor(program));
    this.goOn(program);
    engine.limitMemory(this.limits.mostMB * 2 ** 20);
    this.isWatched = traces || hasStores(program);
  }
  /** What the machine does from here on is that program's, within the limits. */
  goOn(program) {
    this.refusal = null; // that of the run before
    this.isStopped = false;
    this.isLate = false;
    this.program = program;
    this.deadline = this.limits.clock() + this.limits.limitMs;
  }

  /**
   * What `action` returns; what the engine throws becomes a sentence. Of an engine that its host has ended, as when its stack is
   * full, nobody restores the stack pointer: the machine `isSpent`, and can run no other program.
   */
  told(action) {
    try {
      return action();
    } catch (error) {
      if (error instanceof NotModelledError) throw error;
      this.isSpent ||= !(error instanceof EngineError);
      if (error instanceof WebAssembly.RuntimeError)
        throw new NotModelledError("The engine of the model failed on this program.");
      if (error instanceof RangeError)
        throw new NotModelledError(
          this.refusal ??
            "The program was stopped because its functions, or the parts of an object, are nested more deeply " +
              `than the model can follow. To run it for real: node ${this.program.file.split("/").pop()}`,
        );
      if (!(error instanceof EngineError)) throw error;
      throw new NotModelledError(this.refusal ?? `The model failed: ${error.message}`);
    }
  }
}

const OPTIONS = {
  "--eval": "",
  "--unhandled-rejections": "throw",
  "--warnings": true,
  "--deprecation": true,
  "--pending-deprecation": false,
  "--trace-deprecation": false,
  "--throw-deprecation": false,
  "--trace-warnings": false,
  "--disable-warning": [],
  "--stack-trace-limit": 10,
  "--async-context-frame": false,
  "--experimental-eventsource": false,
  "--experimental-require-module": true,
};
