// A process of the hand-in: started in a sandbox of its own, watched from outside, ended whatever it does.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  copyFileSync,
  cpSync,
  fstatSync,
  ftruncateSync,
  constants as how,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Channel } from "./channel.mjs";
import * as proc from "./proc.mjs";
import { Callback, decode, encode, Odd, Thrown, thrown, unreachable } from "./values.mjs";

const HARNESS = readFileSync(new URL("./inside.js", import.meta.url), "utf8");
const KEPT = 64 * 1024; // bytes of each output that are kept
const FLOOD = 16 * 1024 * 1024; // bytes of output after which a program is ended
const MOST_READ = 64 * 1024 * 1024; // bytes of a file of a hand-in that the driver reads at once
const LOOK_MS = 20;
const CALL_S = 5;
// Processor time, which no other program takes away from anybody: a module is there after milliseconds of it.
const LOAD_CPU_S = 2;
const START_S = 10; // until Node itself is there
const STIRS_MS = 20; // of processor time that one which has stopped may have
const STOPS_MS = 500; // that one may have to come to the end of a call to the kernel, which no signal ends
const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

// Reads one line from the driver, byte by byte so that nothing behind it is taken, and becomes what it says. Within a function:
// what a script declares outside of one is everybody's.
const bootstrap = `(() => {
const fs = require("node:fs"), one = Buffer.alloc(1 << 16); let text = "";
for (let n; !text.endsWith("\\n") && (n = fs.readSync(3, one, 0, one.length, null)); ) text += one.latin1Slice(0, n);
const bytes = Buffer.from(text, "latin1");
const config = JSON.parse(bytes.toString());
for (const each of [one, bytes]) each.fill(0); // whoever gets this memory next shall not read it
new Function("require", "config", config.harness)(require, config);
})()`;

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

/** A scene of the exercise threw: the check is broken, and nobody's work is worth less for it. */
export class Broken extends Error {
  constructor({ name, message, theirs }) {
    super(message);
    this.name = name;
    this.stack = `in a scene, ${theirs}`;
  }
}

let count = 0;

/** What all processes of hand-ins have in common. `job` is the driver's, `program` the path of a file in the driver's view. */
export class Process {
  constructor(
    job,
    program,
    { args = [], env = {}, nodeArgs = [], channel = false, name = "your program" } = {},
  ) {
    this.job = job;
    this.name = name;
    this.program = program; // the driver's own copy: no hand-in can write it
    const folder = program === job.handIn && job.folder; // of several files
    this.file = folder ? relative(folder, program) : basename(program);
    this.output = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    this.printed = 0;
    this.use(); // nothing else of the check runs by the time that this begins
    this.folder = join(job.scratch, String(count++));
    // Only in a sandbox can nobody write into the folder that all processes of a hand-in share.
    const isShared = folder && job.sandboxed;
    const hand = isShared ? folder : join(this.folder, "hand");
    this.work = join(this.folder, "work");
    mkdirSync(this.work, { recursive: true });
    if (folder && !isShared) cpSync(folder, hand, { recursive: true });
    else if (!folder) {
      mkdirSync(hand);
      copyFileSync(program, join(hand, this.file));
    }
    const places = { HAND: hand, WORK: this.work };
    const inner = job.inner.map((word) =>
      word.replace(/^@(HAND|WORK)$/, (_, place) => places[place]),
    );
    this.at = job.sandboxed
      ? { hand: "/hand", work: "/own", closed: "/closed.cjs" }
      : { hand, work: this.work, closed: fileURLToPath(new URL("./closed.cjs", import.meta.url)) };
    const command = [
      ...inner,
      ...nodeArgs,
      ...(channel
        ? ["--input-type=commonjs", "-e", bootstrap]
        : [join(this.at.hand, this.file), ...args]),
    ];
    const filtered = job.sandboxed && job.filter;
    this.child = spawn(command[0], command.slice(1), {
      cwd: job.sandboxed ? "/" : this.work,
      env: { ...job.env, ...env },
      // The last one is where bubblewrap is told of the calls that it shall refuse: RULES of sandbox.py.
      stdio: ["pipe", "pipe", "pipe", channel ? "pipe" : "ignore", filtered ? "pipe" : "ignore"],
      detached: !job.sandboxed,
    });
    if (filtered) this.child.stdio[4].on("error", () => {}).end(job.filter, "base64");
    this.child.stdin.on("error", () => {});
    this.child.on("error", (error) =>
      this.#fail(new Error(`the hand-in could not be started: ${error.message}`)),
    );
    for (const stream of ["stdout", "stderr"])
      this.child[stream].on("data", (chunk) => {
        this.printed += chunk.length;
        if (this.output[stream].length < KEPT)
          this.output[stream] = Buffer.concat([this.output[stream], chunk]).subarray(0, KEPT);
        if (this.printed > FLOOD) this.void(`${this.name} printed more than ${FLOOD >> 20} MiB`);
      });
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => {
        // bubblewrap says 128 + the number of the signal that ended the program.
        const byNumber = job.sandboxed && code > 128 ? SIGNALS.get(code - 128) : undefined;
        this.end = byNumber ? { code: null, signal: byNumber } : { code, signal };
        clearInterval(this.watch);
        resolve(this.end);
      });
    });
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.failed.catch(() => {});
    this.watch = setInterval(() => this.#look(), 100);
    this.watch.unref();
    job.started.add(this);
  }

  #reject;
  #fail(error) {
    this.reason ??= error;
    this.#reject(this.reason);
    this.kill();
  }

  /** Ends it, and with it every criterion: what it shows cannot be believed. */
  void(why) {
    this.#fail(new Void(why));
  }

  #beside = new Set();
  #paused; // processes that were stopped, and how long they had computed by then

  /**
   * Lets this program run, and stops every other of the check: a server that an earlier criterion has left could do the work of this
   * one, and its processor time, memory and threads would be counted by nobody. Whatever uses a program calls this first.
   */
  use() {
    for (const other of this.job.started)
      if (other !== this && !this.#beside.has(other)) other.#pause();
    this.#resume();
  }
  /** From here on this program and the other run at the same time. */
  beside(other) {
    this.#beside.add(other);
    other.#beside.add(this);
    for (const each of [this, other]) each.use();
  }
  #pause() {
    if (this.#paused || this.end) return;
    const worked = new Map();
    // Who was about to start another process has started it, or will not: one more look finds all.
    for (let before = -1; before < worked.size; ) {
      before = worked.size;
      for (const pid of proc.family(this.child.pid)) {
        if (worked.has(pid)) continue;
        this.#send(pid, "SIGSTOP");
        worked.set(pid, proc.worked(pid));
      }
    }
    this.#paused = worked;
    this.#settled = false;
  }
  #resume() {
    if (!this.#paused) return;
    this.#stays();
    const all = [...this.#paused.keys()];
    this.#paused = undefined;
    for (const pid of all.reverse()) this.#send(pid, "SIGCONT");
  }
  #send(pid, signal) {
    try {
      process.kill(pid, signal);
    } catch {
      // it has just ended
    }
  }
  #settled; // whether all that was told to stop has stopped
  /** Machine code can have itself woken up, by a timer of the kernel for example. */
  #stays() {
    const all = [...this.#paused];
    const since = all.reduce((sum, [pid, before]) => sum + proc.worked(pid) - before, 0);
    if (!this.#settled && since <= STOPS_MS) {
      this.#settled = all.every(([pid]) => proc.stopped(pid));
      if (this.#settled) for (const [pid] of all) this.#paused.set(pid, proc.worked(pid));
      return;
    }
    if (since > STIRS_MS || proc.family(this.child.pid).length > all.length)
      this.void(
        `${this.name} kept running while another program was checked, although it had been stopped`,
      );
  }

  #load = []; // by times: how long it has stood in the queue for a processor, how long it has had one

  /** See `starved` of proc.mjs: of the last milliseconds. */
  starved(milliseconds) {
    return proc.starved(this.#load, performance.now() - milliseconds, milliseconds);
  }

  #look() {
    if (this.#paused) this.#stays();
    const all = proc.family(this.child.pid);
    const used = proc.added(all.map(proc.cpu));
    const waited = proc.added(all.map(proc.waited));
    this.#load.push({ at: performance.now(), waited, had: used.user + used.system });
    const bytes = all.reduce((sum, pid) => sum + proc.memory(pid).now, 0);
    if (bytes > this.job.most.memory)
      this.#fail(
        new Missed(
          `${this.name} took more than ${this.job.most.memory >> 20} MiB of memory and was stopped`,
        ),
      );
    else if (all.length > this.job.most.processes)
      this.#fail(
        new Void(
          `${this.name} started more than ${this.job.most.processes} processes and was stopped`,
        ),
      );
  }

  get pid() {
    return proc.program(this.child.pid)[0];
  }
  get stdout() {
    return this.output.stdout.toString();
  }
  get stderr() {
    return this.output.stderr.toString();
  }

  /**
   * The port on which it listens: the one it says, or, as a server that forgot to say so is a server all the same, any. A port of
   * somebody else's is none of its own, whatever it says: the kernel knows.
   */
  listens({ unsaid = true } = {}) {
    const said = this.stdout.match(
      /listening on http:\/\/(?:127\.0\.0\.1|localhost|\[::1?\]):(\d{1,5})\b/,
    );
    if (process.platform !== "linux") return Number(said?.[1]) || undefined;
    const ports = said || unsaid ? proc.portsOf(this.child.pid) : [];
    const port = said && Number(said[1]);
    return ports.includes(port) ? port : unsaid ? ports[0] : undefined;
  }

  #asked = (question, sum = proc.added, of = proc.program) => {
    const ask = proc.asked(question, () => this.child.pid, sum, of);
    return () => {
      this.use();
      return ask();
    };
  };
  memory = this.#asked(proc.memory);
  threads = this.#asked(proc.threads);
  descriptors = this.#asked(proc.descriptors, proc.together);
  faults = this.#asked(proc.faults);
  // With bubblewrap's own, which wait for those that have lost their parent.
  cpu = this.#asked(proc.cpu, proc.added, proc.family);
  family = () => proc.program(this.child.pid);
  /** Misses where it has started other processes, even if they have ended: the task is to do it in one. */
  alone() {
    const others = this.family().length - 1;
    const ended = proc.family(this.child.pid).some(proc.outlived);
    if (others === 0 && !ended) return;
    const more = others === 1 ? "another process" : `${others} other processes`;
    throw new Missed(
      `${this.name} has started ${others === 0 ? "other processes, which have ended" : more}: the task is to do it in one process`,
      { saw: others === 0 ? "more than 1" : others + 1, wanted: 1 },
      { sure: true },
    );
  }
  signal(name) {
    this.use();
    if (!this.end) process.kill(this.pid, name);
  }

  kill() {
    if (this.end) return;
    try {
      if (this.job.sandboxed) this.child.kill("SIGKILL");
      else process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // it has just ended
    }
  }

  /** Ends it and waits until it is gone. */
  async stop() {
    this.kill();
    await this.ended;
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
    const gone = this.ended.then(async () => {
      await sleep(LOOK_MS); // what it had written before is still on its way
      throw this.reason ?? this.early();
    });
    gone.catch(() => {});
    try {
      return await Promise.race([promise, late, this.failed, gone]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The error for a process that has ended before it was done. */
  early() {
    const { code, signal } = this.end;
    const why = this.explained(this.stderr);
    if (why)
      return new Missed(
        `${this.name} ended with an error: ${why}${this.advice(this.stderr)}`,
        this.told(),
      );
    const how = signal ? `by ${signal}` : `with exit code ${code}`;
    return new Missed(
      `${this.name} ended ${how} before it was done${code === 0 ? " (is there a process.exit()?)" : ""}`,
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
      return `. The check runs a program with Node, and not with ${runtime}: use Node's own modules, such as node:http`;
    if (missing && !folder)
      return ". A single file is checked alone: hand in the folder that has its modules, and libraries in its node_modules";
    const within = missing?.startsWith(`${this.at.hand}/`) && !missing.includes("/node_modules/");
    if (within || /^\.{1,2}\//.test(missing ?? ""))
      return ". Your folder has no file of that name: write the name with its extension and its capital letters";
    if (missing?.startsWith("/") && !missing.includes("/node_modules/"))
      return ". Only the contents of your folder are here: move that file into it";
    if (missing)
      return ". Only the contents of your folder are here: its modules, and libraries in its node_modules, which `npm install` in the folder brings";
    if (/ENOENT[^'\n]{0,100}'(?:[^'\n]{0,300}\/)?\.env(?:\.\w{1,40})?'/.test(text))
      return ". Files whose names begin with a dot are not handed in: give each variable a default in the program";
    if (folder && /Cannot use import statement outside a module/.test(text))
      return '. Write "type": "module" into package.json, or let the name of the file end in .mjs';
    if (/not supported in strip-only mode/.test(text))
      return ". Node strips types and compiles nothing: write this in JavaScript, for example an enum as an object";
    return "";
  }

  /**
   * Writes a file into its folder while it may be at work there: never through a link, which could lead to a file of the driver.
   * `size`: bytes that the file is cut, or filled with a hole, to.
   */
  put(name, content, { size } = {}) {
    this.#within(name, how.O_WRONLY | how.O_CREAT | how.O_TRUNC, (file) => {
      writeFileSync(file, content);
      if (size !== undefined) ftruncateSync(file, size);
    });
  }
  /** The bytes of a file of its folder, on the same terms: no link is followed, no pipe or device read, and not more than there may be. */
  read(name) {
    return this.#within(name, how.O_RDONLY, (file) => {
      const { size } = fstatSync(file);
      if (size > MOST_READ)
        throw new Missed(`${name} has grown to ${size >> 20} MiB in the folder of ${this.name}`);
      return readFileSync(file);
    });
  }
  #within(name, flags, use) {
    const said = join(this.work, name);
    const odd = (code) => Object.assign(new Error(`${code}, ${name}`), { path: said, code });
    const path = join(realpathSync(dirname(said)), basename(said));
    if (!path.startsWith(`${realpathSync(this.work)}/`)) throw odd("ELOOP");
    const file = openSync(path, flags | how.O_NOFOLLOW | how.O_NONBLOCK, 0o644);
    try {
      if (!fstatSync(file).isFile()) throw odd("ENODEV");
      return use(file);
    } finally {
      closeSync(file);
    }
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
export function explain(text, hand, called = (file) => file) {
  const error =
    text.match(/^(?:Uncaught )?(\w*Error(?: \[\w+\])?: .*)$/m)?.[1] ??
    text.match(/^(\w*Error)$/m)?.[1];
  if (!error) return undefined;
  const plain = error.replace(/ \[(ERR_\w+)\]/, "").replaceAll(`${hand}/`, "");
  return (
    plain + (plain.includes("no network") ? "" : unreachable(text)) + place(text, hand, called)
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
  if (Array.isArray(value)) return "a list";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Odd) return `something else (${value.kind})`;
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return typeof value === "object" ? undefined : String(value).slice(0, 40);
}

/** A module of the hand-in, loaded in a process of its own in which its functions are called. */
export class Module extends Process {
  #calls = new Map();
  #callbacks = new Map();
  #asks = 0;
  #again;

  static async start(
    job,
    program,
    { scene = job.scene, locked = true, load = true, ...options } = {},
  ) {
    // What came to no end when it was loaded would not the next time either, and takes a processor while it is waited for.
    const again = JSON.stringify([program, scene, locked, options]);
    if (load && job.endless.has(again)) throw job.endless.get(again);
    const made = new Module(job, program, { ...options, channel: true });
    made.#again = again;
    const key = randomBytes(32).toString("hex");
    const ready = new Promise((resolve) => {
      made.ready = resolve;
    });
    made.channel = new Channel(made.child.stdio[3], key, {
      receive: (frame) => made.#receive(frame),
      broken: (why) => made.void(`${made.name} ${why}: nothing that it said counts`),
      ended: () => {},
    });
    const file = join(made.at.hand, made.file);
    made.channel.begin({ key, harness: HARNESS, scene, file, locked, closed: made.at.closed });
    // Nothing of the hand-in has run by then: who is late here is the machine.
    await made.within(ready, START_S, "Node did not start").catch((error) => {
      if (error instanceof Missed && !made.end && !made.reason)
        throw new Noisy(`too busy to tell: ${error.message}`);
      throw error;
    });
    if (load) await made.load();
    return made;
  }

  /** Loads the module; resolves to the kinds of what it exports, by name. */
  async load(seconds = CALL_S) {
    try {
      this.exports = await this.#do(
        { do: "load" },
        seconds,
        "loading your file never finished",
        LOAD_CPU_S,
      );
    } catch (error) {
      if (error === this.#endless) this.job.endless.set(this.#again, error);
      if (!(error instanceof Thrown)) throw error;
      throw new Missed(`your file cannot be loaded: ${this.#unloadable(error)}`, this.told());
    }
    return this.exports;
  }

  #unloadable(error) {
    if (error.none) return `it threw ${error.message}`;
    if (error.name === "SyntaxError") {
      // Only Node's own check names the line. Nothing runs in it, so that there need be no filter.
      const words = this.child.spawnargs.filter(
        (word, at, all) => word !== "--seccomp" && all[at - 1] !== "--seccomp",
      );
      const { stderr } = spawnSync(
        this.child.spawnargs[0],
        [
          ...words.slice(1, words.indexOf("--input-type=commonjs")),
          "--check",
          join(this.at.hand, this.file),
        ],
        {
          env: this.job.env,
          encoding: "utf8",
          timeout: 5000,
          killSignal: "SIGKILL",
        },
      );
      const [, line] = stderr?.match(/:(\d+)\r?\n/) ?? [];
      if (line) {
        const place = this.placed(`${this.at.hand}/${this.file}:${line}`);
        const lines = readFileSync(this.program, "utf8").split("\n");
        return error.message + place + slipOf(lines[line - 1] ?? "");
      }
    }
    const missing = error.message.match(/Cannot find (?:package|module) '([^']+)'/);
    if (missing && !this.job.folder)
      return `it imports ${missing[1].replace(`${this.at.hand}/`, "./")}, and only Node's own modules are here: everything else has to be in this one file`;
    const text = `${error.name}: ${error.message}\n${error.theirs}`;
    return (this.explained(text) ?? error.message) + this.advice(text);
  }

  /** Holds the module to a function of that name; says which names are there if it is missing. */
  needs(name) {
    const kind = this.exports?.[name];
    if (kind === "function") return;
    if (kind !== undefined)
      throw new Missed(`\`${name}\` is exported, but it is of type ${kind}: a function is needed`);
    const there = Object.keys(this.exports ?? {})
      .filter((each) => each !== "default" && each !== "module.exports")
      .map((each) => `\`${each}\``);
    const cjs = this.file.endsWith(".cjs");
    const how = cjs ? `\`module.exports = { ${name} }\`` : `\`export function ${name} …\``;
    if (this.exports?.default === "function" || (!cjs && "default" in (this.exports ?? {})))
      there.push(cjs ? "a function, `module.exports` itself" : "a default export");
    const only = there.length ? `, only ${there.join(", ")}` : " (it exports nothing)";
    throw new Missed(`your file exports no function \`${name}\`${only}: write ${how}`);
  }

  /** Calls an exported function; resolves to what it returns (promises are awaited), rejects with what it throws (`Thrown`). */
  async call(name, ...given) {
    this.needs(name);
    return this.#do(
      { do: "call", name, given: encode(given, (callback) => this.#keep(callback)) },
      this.job.seconds.call ?? CALL_S,
      `\`${name}\` did not answer`,
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

  async #do(frame, seconds, what, cpuSeconds = Number.POSITIVE_INFINITY) {
    const answer = this.#ask(frame);
    const late = Symbol("late");
    const spent = Symbol("spent");
    const waiting = new AbortController();
    const done = await this.within(
      Promise.race([
        answer,
        sleep(seconds * 1000, late, { ref: false }),
        this.#computes(cpuSeconds, waiting.signal).then(() => spent),
      ]),
      2 * seconds + 1,
      what,
    ).finally(() => waiting.abort());
    if (done !== late && done !== spent) return done;
    // Who still answers has lost a promise; who does not computes for ever, and would keep every other criterion waiting.
    const alive = done === late && (await this.#alive());
    const stuck =
      done === late ? "something computes or waits without end" : "something computes without end";
    const why = alive
      ? "a promise is never settled, or a callback never called"
      : `its event loop no longer turns, ${stuck}`;
    const limit =
      done === late ? `within ${seconds} s` : `within ${cpuSeconds} s of a processor's time`;
    const error = new Missed(`${what} ${limit}: ${why}`, this.told());
    // Who was only late may have waited for a processor: that is tried again, and not remembered.
    if (done === spent) this.#endless = error;
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
    const used = () => {
      const { user, system } = proc.added(proc.family(this.child.pid).map(proc.cpu));
      return (user + system) / 1000;
    };
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
    this.channel.send({ ...frame, id });
    return answer;
  }

  #endless;
  #stuck(error) {
    this.reason ??= error;
    this.kill();
  }

  async #receive(frame) {
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
        `${this.name} changed ${frame.value}, which belongs to Node: what runs with it proves nothing`,
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
    } else if ("tell" in frame) this.events.push({ name: frame.tell, value: decode(frame.value) });
    else if ("ask" in frame) {
      const answers = this.#callbacks.get(frame.ask)?.answers;
      try {
        const value = answers ? await answers(...decode(frame.given)) : undefined;
        this.channel.send({
          answer: frame.id,
          value: encode(value, (callback) => this.#keep(callback)),
        });
      } catch (error) {
        this.channel.send({
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
    await this.#do({ do: "finish" }, seconds, "the process did not answer");
    const late = `${this.name} was still running, and was expected to end by itself,`;
    return this.within(
      this.ended.then(() => this.end),
      seconds,
      late,
    ).catch((error) => {
      if (this.end && !this.reason) return this.end;
      throw error;
    });
  }
}

/** A hand-in that is a server: it prints the address it listens on, as all servers of the course do. */
export class Server extends Process {
  static async start(job, program, options = {}) {
    const { env = {}, seconds = CALL_S } = options;
    const made = new Server(job, program, { ...options, env: { PORT: "0", ...env } });
    try {
      made.#port = await made.within(made.#listens(), seconds, `${made.name} did not listen`);
    } catch (error) {
      if (error instanceof Missed && !(error instanceof Void) && !made.end) {
        made.kill();
        throw new Missed(
          `your server did not listen within ${seconds} s: it should call listen(process.env.PORT, "127.0.0.1") and print \`listening on http://127.0.0.1:<port>\``,
          made.told(),
        );
      }
      throw error;
    }
    return made;
  }

  #port;
  get port() {
    this.use();
    return this.#port;
  }
  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async #listens() {
    const asked = performance.now();
    while (!this.end) {
      const port = this.listens({ unsaid: performance.now() - asked > 500 });
      if (port) return port;
      await sleep(LOOK_MS);
    }
    throw this.reason ?? this.early();
  }
}

/** Runs the hand-in as a program, to its end. */
export async function runProgram(job, program, { input = "", seconds = CALL_S, ...options } = {}) {
  const started = performance.now();
  const made = new Process(job, program, options);
  made.child.stdin.end(input);
  const late = `${made.name} did not end`;
  const end = await made.within(made.ended, seconds, late).catch((error) => {
    if (made.end && !made.reason) return made.end;
    throw error;
  });
  return {
    ...end,
    stdout: made.stdout,
    stderr: made.stderr,
    ms: performance.now() - started,
    error: made.explained(made.stderr),
    process: made,
  };
}

const PRINTED_QUOTE = /[\u2018\u2019\u201c\u201d\u201e]/;
const TYPED = [
  /[\w\])]\??\s*:\s*(?:any|unknown|number|string|boolean|void|never|[A-Z]\w*<.*>)(?:\[\])*\s*[,)={;]/,
  /^\s*(?:export\s+)?(?:interface|type)\s+\w+/,
  /\s+as\s+(?:const|any|unknown|number|string|[A-Z]\w*)\b/,
];

/** What kind of slip a line that does not parse has, with what to do; nothing where that is not known. */
function slipOf(line) {
  const [quote] = line.match(PRINTED_QUOTE) ?? [];
  if (quote) return `: ${quote} is a quotation mark of printed text, write ' or "`;
  return TYPED.some((type) => type.test(line))
    ? ": TypeScript types are not JavaScript, remove them"
    : "";
}

export { Callback, once };
