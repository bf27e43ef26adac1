// A machine that runs a program as one Node would: the engine with Node's modules loaded, once, and
// the program on it as often as one likes, each time from the same state.
import { createEngine, EngineError } from "./engine.js";
import { withClosedLoops } from "./for-await.js";

const EPOCH = Date.UTC(2026, 0, 1);
const DEFAULTS = { mostLines: 10_000, mostMB: 192, limitMs: 2000, clock: () => performance.now() };
const MOST_DELAY_MS = 30;

/** What the model does not do; its message says what, and how to run the program for real. */
export class NotModelledError extends Error {
  name = "NotModelledError";
}

export async function createMachine({ version, versions, texts }, parts, wanted = {}) {
  const engine = await createEngine(parts.binary, parts);
  return new Machine(engine, { version, versions, texts }, parts, { ...DEFAULTS, ...wanted });
}

class Machine {
  constructor(engine, node, parts, limits) {
    this.engine = engine;
    this.limits = limits;
    this.node = node;
    this.acorn = parts.acorn;
    this.programText = { program: null, text: "" };
    this.refusal = null;
    this.isStopped = false;
    this.deadline = Number.POSITIVE_INFINITY;
    engine.shouldInterrupt = () => this.#isOver();
    engine.loadModule = (name) => this.#moduleText(name);
    this.#boot(parts);
    this.state = engine.snapshot();
  }

  #boot({ realm, loop, process }) {
    const { engine, node } = this;
    const host = engine.newFunction("host", (name, ...values) =>
      this[`_${engine.text(name)}`](...values),
    );
    const settings = {
      version: node.version,
      versions: node.versions,
      options: OPTIONS,
      epoch: EPOCH,
      ...this.limits,
    };
    engine.setGlobal("__host", host);
    const bootFunction = engine.evaluate(
      `(() => { const host = globalThis.__host; delete globalThis.__host;
        const settings = ${JSON.stringify(settings)};
        settings.process = { version: settings.version, versions: settings.versions, platform: "linux", env: {}, argv: [] }; settings.file = "program"; settings.shown = () => settings.file.split("/").pop();
        return (realm, loop, process) => { const machine = realm(host, settings); loop(machine); process(machine);
          return [machine.begin, machine.moduleText, machine.track]; }; })()`,
      "begin.js",
    );
    // Each is one function, and its file's last statement.
    const inside = (text, file) => engine.evaluate(text, file);
    const functions = [
      inside(realm, "realm.js"),
      inside(loop, "loop.js"),
      inside(process, "process.js"),
    ];
    const list = engine.call(bootFunction, functions);
    const at = (index) => engine.ffi.QTS_GetPropNumber(engine.context, list, index);
    [this.begin, this.moduleText] = [at(0), at(1)];
    engine.trackRejections(at(2));
    engine.runJobs(() => false);
  }

  // --- what the inside may ask -------------------------------------------------------------
  _compile(id, names) {
    const name = this.engine.text(id);
    const text = this.node.texts[name];
    if (text === undefined)
      throw new EngineError(`Node ${this.node.version} has no module ${name}`);
    return this.engine.evaluate(
      `(function (${this.engine.text(names)}) {${text}\n})`,
      `node:${name}`,
    );
  }

  _jobs() {
    this.engine.runJobs(() => this.isStopped);
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
    this.refusal ??= this.engine.text(sentence);
    this.isStopped = true;
    throw new EngineError(this.refusal);
  }

  /** The program's text as the engine takes it, made once for all runs of the program. */
  #text() {
    const { program, programText } = this;
    if (programText.program !== program) {
      const text = withClosedLoops(this.acorn, program.source, program.kind === "esm");
      this.programText = { program, text };
    }
    return this.programText.text;
  }

  _program() {
    return this.engine.evaluate(
      `(function (exports, require, module, __filename, __dirname) { ${this.#text()}\n})`,
      this.program.file,
    );
  }

  _module() {
    return this.engine.evaluate(this.#text(), `file://${this.program.file}`, { isModule: true });
  }

  /** True once a run must end: code, also that of a promise, is left at once where it asks. */
  #isOver() {
    if (this.refusal === null && this.limits.clock() > this.deadline) {
      this.refusal = `The program was stopped after ${this.limits.limitMs / 1000} s: a loop, or ticks, promises or turns of the loop that never end.`;
      this.isStopped = true;
    }
    return this.refusal !== null;
  }

  #moduleText(name) {
    const word = this.engine.string(name);
    return this.engine.text(this.engine.call(this.moduleText, [word]));
  }

  // --- runs --------------------------------------------------------------------------------
  /** One run of {source, file, kind}: {chunks, noted, code}, as the schedule has it. */
  run(program, schedule = {}, mostMs = MOST_DELAY_MS) {
    const { engine } = this;
    engine.restore(this.state);
    this.program = program;
    this.refusal = null;
    this.isStopped = false;
    this.deadline = this.limits.clock() + this.limits.limitMs;
    engine.limitMemory(this.limits.mostMB * 2 ** 20);
    const given = engine.evaluate(`(${JSON.stringify({ schedule, mostMs })})`, "schedule.js");
    const values = [engine.string(program.kind), engine.string(program.file), given];
    try {
      const result = JSON.parse(engine.text(engine.call(this.begin, values)));
      if (this.refusal) throw new NotModelledError(this.refusal);
      return result;
    } catch (error) {
      if (error instanceof NotModelledError) throw error;
      if (error instanceof RangeError)
        throw new NotModelledError(
          "The program was stopped: its functions call one another deeper than the model can.",
        );
      if (!(error instanceof EngineError)) throw error;
      throw new NotModelledError(this.refusal ?? `The model failed: ${error.message}`);
    }
  }
}

const OPTIONS = {
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
