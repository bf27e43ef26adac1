// What a check and the process of a hand-in say to each other, and in which words it is told: for a process of the sandbox
// (hand-in.mjs), and for the model of a page (lab/simulator). Whatever runs the hand-in has `send(frame)`, `receive` what comes
// back, and says how it has ended.
import { setTimeout as sleep } from "node:timers/promises";
import { decode, encode, Odd, Thrown, thrown, unreachable } from "./values.mjs";

const LOOK_MS = 20;
export const CALL_S = 5;
// Processor time, which no other program takes away from anybody: a module is there after milliseconds of it.
const LOAD_CPU_S = 2;

/** The hand-in did not do what was asked: the reader sees the message, and what was seen. */
export class Missed extends Error {
  /** `sure`: no machine that is busy brings that about. */
  constructor(message, seen = {}, { sure = false } = {}) {
    super(message);
    this.seen = seen;
    this.sure = sure;
  }
}

/** The hand-in did something that makes what it shows worthless: no criterion can stand. */
export class Void extends Missed {}

/** The machine is too busy to tell: nobody's fault, and no points lost. */
export class Noisy extends Error {}
export const BUSY =
  "the machine is too busy. Your program spent most of its time waiting for a processor";

/** A scene of the exercise threw: the check is broken, and nobody's work is worth less for it. */
export class Broken extends Error {
  constructor({ name, message, theirs }) {
    super(message);
    this.name = name;
    this.stack = `in a scene, ${theirs}`;
  }
}

/** What is known of a program that runs, in words. It has `ended`, a promise, `end` once that is settled, `file`, its name, `at`, where it is, `kill()` and `use()`. */
export class Watched {
  constructor(job, name) {
    this.job = job;
    this.name = name;
    this.output = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.failed.catch(() => {});
  }
  #reject;
  /** Why it can say nothing more; it is ended. */
  fail(error) {
    this.reason ??= error;
    this.#reject(this.reason);
    this.kill();
  }

  /** Ends it, and with it every criterion: what it shows cannot be believed. */
  void(why) {
    this.fail(new Void(why));
  }
  get stdout() {
    return this.output.stdout.toString();
  }
  get stderr() {
    return this.output.stderr.toString();
  }

  /** `promise`, or an error that says why the process can no longer answer, or that it took too long. */
  async within(promise, seconds, what) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(
        () => reject(new Missed(`${what} within ${seconds} s`, this.told())),
        seconds * 1000,
      );
    });
    const exit = this.ended.then(async () => {
      await sleep(LOOK_MS); // what it had written before is still on its way
      throw this.early();
    });
    exit.catch(() => {});
    try {
      return await Promise.race([promise, late, this.failed, exit]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The error for a process that has ended before it was done: why it was ended, if the grader did that. */
  early() {
    if (this.reason) return this.reason;
    const { code, signal } = this.end;
    const why = this.explained(this.stderr);
    if (why)
      return new Missed(
        `${this.name} ended with an error: ${why}${this.advice(this.stderr)}`,
        this.told(),
      );
    const how = signal ? `by ${signal}` : `with exit code ${code}`;
    return new Missed(
      `${this.name} ended ${how} before it was done${code === 0 ? ". Does it call process.exit()?" : ""}`,
      this.told(),
    );
  }

  /** What to do about an error of which Node's own words do not say so; nothing of another error. */
  advice(text) {
    const { folder } = this.job;
    const [, missing] = text.match(/Cannot find (?:package|module) '([^']+)'/) ?? [];
    const runtime =
      text.match(/\b(Deno|Bun) is not defined/)?.[1] ??
      (missing === "bun" || /Received protocol 'bun:'/.test(text) ? "Bun" : undefined) ??
      (/Received protocol '(?:https?|npm|jsr):'/.test(text) ? "Deno" : undefined);
    if (runtime)
      return `. The check runs programs with Node, not with ${runtime}. Use Node's own modules, such as node:http`;
    if (missing && !folder)
      return ". A single file is checked on its own. Hand in the folder that has its modules, with libraries in its node_modules";
    const within = missing?.startsWith(`${this.at.hand}/`) && !missing.includes("/node_modules/");
    if (within || /^\.{1,2}\//.test(missing ?? ""))
      return ". Your folder has no file with that name. Write the name with its extension, and with the same capital letters";
    if (missing?.startsWith("/") && !missing.includes("/node_modules/"))
      return ". Only the contents of your folder are available here. Move that file into your folder";
    if (missing)
      return ". Only the contents of your folder are available here: its modules, and the libraries in its node_modules. To install a library, run `npm install` in the folder";
    if (/ENOENT[^'\n]{0,100}'(?:[^'\n]{0,300}\/)?\.env(?:\.\w{1,40})?'/.test(text))
      return ". Files whose names begin with a dot are not handed in. Give each variable a default value in the program";
    if (!folder && /\b(?:module|exports|require) is not defined/.test(text))
      return ". Your file is an ES module. Write `export function …` instead of `module.exports`, and `import` instead of `require`";
    if (folder && /Cannot use import statement outside a module/.test(text))
      return '. Add "type": "module" to package.json, or give the file a name that ends in .mjs';
    if (/not supported in strip-only mode/.test(text))
      return ". Node removes types, but compiles nothing. Write this in JavaScript, for example an enum as an object";
    return "";
  }

  /** See `explain`; its own file is called as whoever handed it in calls it. */
  explained(text) {
    return explain(text, this.at.hand, (file) => this.#called(file));
  }
  /** In which line of the hand-in a stack begins, as " (mine.mjs, line 3)"; nothing if it has none. */
  placed(stack) {
    return place(stack, this.at.hand, (file) => this.#called(file));
  }
  /** What it has printed since it was last asked, as in `told()`. */
  news() {
    const news = {};
    for (const stream of ["stdout", "stderr"]) {
      const text = this.output[stream].subarray(this.#read[stream]).toString();
      this.#read[stream] = this.output[stream].length;
      const own = text.replace(/^listening on http:\S+\r?\n/gm, ""); // which every server has to say
      if (own) news[stream] = own.slice(-2000);
    }
    return news;
  }
  #read = { stdout: 0, stderr: 0 };
  #called(file) {
    return file === this.file && this.program === this.job.handIn
      ? (this.job.called ?? file)
      : file;
  }

  /** What it printed, for the page. */
  told() {
    return {
      ...(this.stdout && { stdout: this.stdout.slice(-2000) }),
      ...(this.stderr && { stderr: this.stderr.slice(-2000) }),
    };
  }
}

/** A stack or Node's report of an error in words: what, and in which line of the hand-in; `called` says how its file is called. */
export function explain(text, hand, displayName = (file) => file) {
  const error =
    text.match(/^(?:Uncaught )?(\w*Error(?: \[\w+\])?: .*)$/m)?.[1] ??
    text.match(/^(\w*Error)$/m)?.[1] ??
    text.match(/^\[(\w*Error(?: \[\w+\])?: .*)\](?: \{)?$/m)?.[1]; // an error of Node's own, without a stack
  if (!error) return undefined;
  const plain = error.replace(/ \[(ERR_\w+)\]/, "").replaceAll(`${hand}/`, "");
  return (
    plain + (plain.includes("no network") ? "" : unreachable(text)) + place(text, hand, displayName)
  );
}

function place(text, hand, called) {
  const at = text.match(
    new RegExp(`${hand.replace(/[.*+?^$()|[\]\\]/g, "\\$&")}/([^:\\s)]+):(\\d+)`),
  );
  return at ? ` (${called(at[1])}, line ${at[2]})` : "";
}

// What a value is that is no object with properties, in words.
function noObject(value) {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Odd) return `something else (${value.kind})`;
  if (typeof value === "string") return `the string ${JSON.stringify(value.slice(0, 40))}`;
  return typeof value === "object" ? undefined : String(value).slice(0, 40);
}

/** A module of the hand-in in such a program, in which its functions are called. */
export const calling = (Program) =>
  class Module extends Program {
    #calls = new Map();
    #callbacks = new Map();
    #asks = 0;
    /** Loads the module; resolves to the kinds of what it exports, by name. */
    async load(seconds = CALL_S) {
      try {
        this.exports = await this.#do(
          { do: "load" },
          seconds,
          "loading your file did not finish",
          LOAD_CPU_S,
        );
      } catch (error) {
        if (error === this.#endless) this.job.endless.set(this.again, error);
        if (!(error instanceof Thrown)) throw error;
        throw new Missed(`your file cannot be loaded: ${this.#unloadable(error)}`, this.told());
      }
      return this.exports;
    }

    #unloadable(error) {
      if (error.none) return `it threw ${error.message}`;
      if (error.name === "SyntaxError") {
        const line = this.wrongLine();
        if (line) {
          const place = this.placed(`${this.at.hand}/${this.file}:${line}`);
          const lines = this.source().split("\n");
          return error.message + place + slipOf(lines[line - 1] ?? "");
        }
      }
      const missing = error.message.match(/Cannot find (?:package|module) '([^']+)'/);
      if (missing && !this.job.folder)
        return `it imports ${missing[1].replace(`${this.at.hand}/`, "./")}, but only Node's own modules are available here. Put everything else into this one file`;
      const text = `${error.name}: ${error.message}\n${error.theirs}`;
      return (this.explained(text) ?? error.message) + this.advice(text);
    }

    /** Holds the module to a function of that name; says which names are there if it is missing. */
    needs(name) {
      const kind = this.exports?.[name];
      if (kind === "function") return;
      if (kind !== undefined)
        throw new Missed(`\`${name}\` is exported, but it is of type ${kind}, not a function`);
      const exportNames = Object.keys(this.exports ?? {})
        .filter((each) => each !== "default" && each !== "module.exports")
        .map((each) => `\`${each}\``);
      const cjs = this.file.endsWith(".cjs");
      const how = cjs ? `\`module.exports = { ${name} }\`` : `\`export function ${name} …\``;
      if (this.exports?.default === "function" || (!cjs && "default" in (this.exports ?? {})))
        exportNames.push(cjs ? "a function, `module.exports` itself" : "a default export");
      const only = exportNames.length
        ? `, only ${exportNames.join(", ")}`
        : " (it exports nothing)";
      throw new Missed(`your file exports no function \`${name}\`${only}. Write ${how}`);
    }

    /** Calls an exported function; resolves to what it returns (promises are awaited), rejects with what it throws (`Thrown`). */
    async call(name, ...given) {
      this.needs(name);
      return this.#do(
        { do: "call", name, given: encode(given, (callback) => this.#keep(callback)) },
        this.job.seconds.call ?? CALL_S,
        `\`${name}\` did not finish`,
      );
    }

    /** As `call`, for a function that has to return an object: says what it returned instead. */
    async object(name, ...given) {
      const value = await this.call(name, ...given);
      const other = noObject(value);
      if (other) throw new Missed(`\`${name}\` returned ${other}, but it should return an object`);
      return value;
    }

    /** Plays a scene of the exercise's inside.js in that process: what it returns. What it tells meanwhile is in `events`. */
    async scene(name, given = {}, { seconds = this.job.seconds.call ?? CALL_S } = {}) {
      return this.#do(
        { do: "scene", name, given: encode(given, (callback) => this.#keep(callback)) },
        seconds,
        "what the check waits for did not happen",
      );
    }

    /** What scenes told so far, in order: [{name, value}]. */
    events = [];

    #thrown(said) {
      const error = decode(said);
      if (error instanceof Thrown) error.where = this.placed(error.theirs);
      return error;
    }

    #keep(callback) {
      const id = this.#callbacks.size;
      this.#callbacks.set(id, callback);
      return id;
    }

    async #do(frame, seconds, action, cpuSeconds = Number.POSITIVE_INFINITY) {
      const answer = this.#ask(frame);
      const late = Symbol("late");
      const overBudget = Symbol("spent");
      const waiting = new AbortController();
      const outcome = await this.within(
        Promise.race([
          answer,
          sleep(seconds * 1000, late, { ref: false }),
          this.#computes(cpuSeconds, waiting.signal).then(() => overBudget),
        ]),
        2 * seconds + 1,
        action,
      ).finally(() => waiting.abort());
      if (outcome !== late && outcome !== overBudget) return outcome;
      // Who still answers has lost a promise; who does not computes for ever, and would keep every other criterion waiting.
      const alive = outcome === late && (await this.#alive());
      const stuck =
        outcome === late
          ? "something computes or waits without end"
          : "something computes without end";
      const why = alive
        ? "a promise is never settled, or a callback is never called"
        : `its event loop no longer turns, because ${stuck}`;
      const limit =
        outcome === late ? `within ${seconds} s` : `within ${cpuSeconds} s of processor time`;
      const error = new Missed(`${action} ${limit}: ${why}`, this.told());
      // Who was only late may have waited for a processor: that is tried again, and not remembered.
      if (outcome === overBudget) this.#endless = error;
      if (!alive) this.#stuck(error);
      throw error;
    }

    #alive() {
      return Promise.race([this.#ask({ do: "alive" }), sleep(500, false)]);
    }

    /** Resolves when it has computed for so long from now on and its loop does not turn; never, where one of these is not so. */
    async #computes(seconds, signal) {
      const never = new Promise(() => {});
      if (seconds === Number.POSITIVE_INFINITY) return never;
      const used = () => this.computed() / 1000;
      const before = used();
      while (!signal.aborted && !this.end) {
        await sleep(100, undefined, { ref: false });
        if (used() - before < seconds) continue;
        return signal.aborted || (await this.#alive()) ? never : undefined;
      }
      return never;
    }

    #ask(frame) {
      this.use();
      const id = this.#asks++;
      const answer = new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
      answer.catch(() => {});
      this.send({ ...frame, id });
      return answer;
    }

    #endless;
    #stuck(error) {
      this.reason ??= error;
      this.kill();
    }

    async receive(frame) {
      if ("ready" in frame) this.ready(frame.ready);
      else if ("done" in frame) {
        const call = this.#calls.get(frame.done);
        if (!call) return this.void(`${this.name} answered a call that was not made`);
        const { resolve, reject } = call;
        this.#calls.delete(frame.done);
        if (frame.fault) reject(new Broken(decode(frame.fault)));
        else if (frame.error) reject(this.#thrown(frame.error));
        else resolve(decode(frame.value));
      } else if (frame.tell === "tampered")
        this.void(
          `${this.name} changed ${frame.value}, which belongs to Node, so nothing that it shows can be trusted`,
        );
      else if (frame.tell === "uncaught") {
        const { origin, error } = decode(frame.value);
        const words =
          error instanceof Thrown
            ? this.explained(`${error.name}: ${error.message}\n${error.theirs}`)
            : `${thrown(error)} was thrown, which is not an Error`;
        this.reason ??= new Missed(
          `${origin === "unhandledRejection" ? "a promise was rejected and not handled" : "an error was thrown and not caught"}: ${words}`,
          this.told(),
        );
      } else if ("tell" in frame)
        this.events.push({ name: frame.tell, value: decode(frame.value) });
      else if ("ask" in frame) {
        const answers = this.#callbacks.get(frame.ask)?.answers;
        try {
          const value = answers ? await answers(...decode(frame.given)) : undefined;
          this.send({
            answer: frame.id,
            value: encode(value, (callback) => this.#keep(callback)),
          });
        } catch (error) {
          this.send({
            answer: frame.id,
            error: { $: "error", message: error.message, code: error.code },
          });
        }
      }
    }

    /**
     * Waits until the process has ended by itself, which it may as soon as nothing of the hand-in keeps it alive, and says how.
     */
    async finish(seconds = CALL_S) {
      await this.#do({ do: "finish" }, seconds, "the process did not respond");
      const late = `${this.name} did not end by itself`;
      return this.within(
        this.ended.then(() => this.end),
        seconds,
        late,
      ).catch((error) => {
        if (this.end && !this.reason) return this.end;
        throw error;
      });
    }
  };

const PRINTED_QUOTE = /[\u2018\u2019\u201c\u201d\u201e]/;
const TYPED = [
  /[\w\])]\??\s*:\s*(?:any|unknown|number|string|boolean|void|never|[A-Z]\w*<.*>)(?:\[\])*\s*[,)={;]/,
  /^\s*(?:export\s+)?(?:interface|type)\s+\w+/,
  /\s+as\s+(?:const|any|unknown|number|string|[A-Z]\w*)\b/,
];

/** What kind of slip a line that does not parse has, with what to do; nothing where that is not known. */
function slipOf(line) {
  const [quote] = line.match(PRINTED_QUOTE) ?? [];
  if (quote) return `: ${quote} is a typographic quotation mark. Write ' or " instead`;
  return TYPED.some((type) => type.test(line))
    ? ": TypeScript types are not JavaScript. Remove them"
    : "";
}
