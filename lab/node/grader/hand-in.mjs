// A process of the hand-in: started in a sandbox of its own, watched from outside, ended whatever it does.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
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
import { BUSY, CALL_S, calling, Missed, Noisy, Void, Watched } from "./conversation.mjs";
import * as proc from "./proc.mjs";

const HARNESS = ["./frames.js", "./inside.js"]
  .map((name) => readFileSync(new URL(name, import.meta.url), "utf8"))
  .join("\n");
const KEPT = 64 * 1024; // bytes of each output that are kept
const FLOOD = 16 * 1024 * 1024; // bytes of output after which a program is ended
const MOST_READ = 64 * 1024 * 1024; // bytes of a file of a hand-in that the driver reads at once
const LOOK_MS = 20;
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

let count = 0;

/** What all processes of hand-ins have in common. `job` is the driver's, `program` the path of a file in the driver's view. */
export class Process extends Watched {
  constructor(
    job,
    program,
    { args = [], env = {}, nodeArgs = [], channel = false, name = "your program" } = {},
  ) {
    super(job, name);
    this.program = program; // the driver's own copy: no hand-in can write it
    const folder = program === job.handIn && job.folder; // of several files
    this.file = folder ? relative(folder, program) : basename(program);
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
    const hasFilter = job.sandboxed && job.filter;
    this.child = spawn(command[0], command.slice(1), {
      cwd: job.sandboxed ? "/" : this.work,
      env: { ...job.env, ...env },
      // The last one is where bubblewrap is told of the calls that it shall refuse: RULES of sandbox.py.
      stdio: ["pipe", "pipe", "pipe", channel ? "pipe" : "ignore", hasFilter ? "pipe" : "ignore"],
      detached: !job.sandboxed,
    });
    if (hasFilter) this.child.stdio[4].on("error", () => {}).end(job.filter, "base64");
    this.child.stdin.on("error", () => {});
    this.child.on("error", (error) =>
      this.fail(new Error(`the hand-in could not be started: ${error.message}`)),
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
    this.watch = setInterval(() => this.#look(), 100);
    this.watch.unref();
    job.started.add(this);
  }

  #beside = new Set();
  #paused; // processes that were stopped, and how long they had computed by then

  /**
   * Lets this program run, and stops every other of the check: a server that an earlier criterion has left could do the work of this
   * one, and its processor time, memory and threads would be counted by nobody. Whatever uses a program calls this first. A program
   * that has ended stops no other: a client of an earlier criterion may ask it once more while the next program starts.
   */
  use() {
    if (this.end) return;
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
    const cpuMsByPid = new Map();
    // Who was about to start another process has started it, or will not: one more look finds all.
    for (let before = -1; before < cpuMsByPid.size; ) {
      before = cpuMsByPid.size;
      for (const pid of proc.family(this.child.pid)) {
        if (cpuMsByPid.has(pid)) continue;
        this.#send(pid, "SIGSTOP");
        cpuMsByPid.set(pid, proc.worked(pid));
      }
    }
    this.#paused = cpuMsByPid;
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
    const pausedPids = [...this.#paused];
    const since = pausedPids.reduce((sum, [pid, before]) => sum + proc.worked(pid) - before, 0);
    if (!this.#settled && since <= STOPS_MS) {
      this.#settled = pausedPids.every(([pid]) => proc.stopped(pid));
      if (this.#settled) for (const [pid] of pausedPids) this.#paused.set(pid, proc.worked(pid));
      return;
    }
    if (since > STIRS_MS || proc.family(this.child.pid).length > pausedPids.length)
      this.void(
        `${this.name} kept running while another program was checked, although it had been stopped`,
      );
  }

  #load = []; // by times: see `starved` of proc.mjs
  #waited = new Map(); // by process: how long it has stood in the queue for a processor

  /** See `starved` of proc.mjs: of the last milliseconds. */
  starved(milliseconds) {
    return proc.starved(this.#load, performance.now() - milliseconds, milliseconds);
  }

  #look() {
    if (this.#paused) this.#stays();
    const pids = proc.family(this.child.pid);
    const cpu = proc.added(pids.map(proc.cpu));
    // Processes that wait at the same time wait once: what they do together is late by the longest of these waits.
    let longest = 0;
    for (const pid of pids) {
      const waited = proc.waited(pid);
      longest = Math.max(longest, waited - (this.#waited.get(pid) ?? 0));
      this.#waited.set(pid, waited);
    }
    this.#load.push({
      at: performance.now(),
      waited: (this.#load.at(-1)?.waited ?? 0) + longest,
      had: cpu.user + cpu.system,
      processes: proc.program(this.child.pid).length,
    });
    const bytes = pids.reduce((sum, pid) => sum + proc.memory(pid).now, 0);
    if (bytes > this.job.most.memory)
      this.fail(
        new Missed(
          `${this.name} used more than ${this.job.most.memory >> 20} MiB of memory and was stopped`,
          {},
          { sure: true },
        ),
      );
    else if (pids.length > this.job.most.processes)
      this.fail(
        new Void(
          `${this.name} started more than ${this.job.most.processes} processes and was stopped`,
        ),
      );
  }

  get pid() {
    return proc.program(this.child.pid)[0];
  }

  /**
   * The port on which it listens: the one it says, or, as a server that forgot to say so is a server all the same, any. A port of
   * somebody else's is none of its own, whatever it says: the kernel knows.
   */
  listens({ unsaid = true } = {}) {
    const match = this.stdout.match(
      /listening on http:\/\/(?:127\.0\.0\.1|localhost|\[::1?\]):(\d{1,5})\b/,
    );
    if (process.platform !== "linux") return Number(match?.[1]) || undefined;
    const ports = match || unsaid ? proc.portsOf(this.child.pid) : [];
    const port = match && Number(match[1]);
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
    const otherCount = this.family().length - 1;
    const ended = proc.family(this.child.pid).some(proc.outlived);
    if (otherCount === 0 && !ended) return;
    const more = otherCount === 1 ? "another process" : `${otherCount} other processes`;
    throw new Missed(
      `${this.name} has started ${otherCount === 0 ? "other processes, which have ended" : more}, but the task asks for a single process`,
      { saw: otherCount === 0 ? "more than 1" : otherCount + 1, wanted: 1 },
      { sure: true },
    );
  }
  signal(name) {
    this.use();
    this.#signals.add(name);
    if (!this.end) process.kill(this.pid, name);
  }
  #signals = new Set(); // that the check has sent
  /** A program that a signal of the check has ended did not handle that signal, however busy the machine is. */
  early() {
    const error = super.early();
    if (!this.reason && this.#signals.has(this.end.signal)) error.sure = true;
    return error;
  }

  kill() {
    if (this.end) return;
    // bubblewrap's second process ends with its first one, but not if it was stopped before it could ask the kernel for that.
    const pids = this.job.sandboxed ? proc.family(this.child.pid) : [-this.child.pid];
    for (const pid of pids) this.#send(pid, "SIGKILL");
  }

  /** Ends it and waits until it is gone. */
  async stop() {
    this.kill();
    await this.ended;
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
}

/** A module of the hand-in, loaded in a process of its own in which its functions are called. */
export class Module extends calling(Process) {
  static async start(
    job,
    program,
    { scene = job.scene, locked: isLocked = true, load = true, ...options } = {},
  ) {
    // What came to no end when it was loaded would not the next time either, and takes a processor while it is waited for.
    const again = JSON.stringify([program, scene, isLocked, options]);
    if (load && job.endless.has(again)) throw job.endless.get(again);
    const module = new Module(job, program, { ...options, channel: true });
    module.again = again;
    const key = randomBytes(32).toString("hex");
    const ready = new Promise((resolve) => {
      module.ready = resolve;
    });
    module.channel = new Channel(module.child.stdio[3], key, {
      receive: (frame) => module.receive(frame),
      broken: (why) => module.void(`${module.name} ${why}, so nothing that it reported counts`),
      ended: () => {},
    });
    const file = join(module.at.hand, module.file);
    module.channel.begin({
      key,
      harness: HARNESS,
      scene,
      file,
      locked: isLocked,
      closed: module.at.closed,
    });
    // Nothing of the hand-in has run by then: who is late here is the machine.
    await module.within(ready, START_S, "Node did not start").catch((error) => {
      if (error instanceof Missed && !module.end && !module.reason)
        throw new Noisy(`the machine is too busy: ${error.message}`);
      throw error;
    });
    if (load) await module.load();
    return module;
  }

  send(frame) {
    this.channel.send(frame);
  }
  source() {
    return readFileSync(this.program, "utf8");
  }
  /** The line that does not parse, as Node's own check names it. Nothing runs in it, so that there need be no filter. */
  wrongLine() {
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
    return stderr?.match(/:(\d+)\r?\n/)?.[1];
  }
  /** Milliseconds that it has computed. */
  computed() {
    const { user, system } = proc.added(proc.family(this.child.pid).map(proc.cpu));
    return user + system;
  }
}

/** A hand-in that is a server: it prints the address it listens on, as all servers of the course do. */
export class Server extends Process {
  static async start(job, program, options = {}) {
    const { env = {}, seconds = CALL_S, processes = 1 } = options;
    const server = new Server(job, program, { ...options, env: { PORT: "0", ...env } });
    try {
      server.#port = await server.within(
        server.#listens(),
        seconds,
        `${server.name} did not listen`,
      );
    } catch (error) {
      if (server.reason) throw server.reason; // the grader has ended it
      if (error instanceof Missed && !server.end) {
        server.kill();
        // A criterion that starts several servers takes longer than each of them has: so it is asked here of this one.
        if (server.starved(seconds * 1000)) throw new Noisy(BUSY);
        const what =
          processes > 1
            ? `the first process did not print \`listening on http://127.0.0.1:<port>\` within ${seconds} s. It should do this when all ${processes} other processes listen`
            : `your server did not listen within ${seconds} s. It should call listen(process.env.PORT, "127.0.0.1") and print \`listening on http://127.0.0.1:<port>\``;
        throw new Missed(what, server.told());
      }
      throw error;
    }
    return server;
  }

  #port;
  get port() {
    this.use();
    return this.#port;
  }
  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A server that was never asked to listen has nothing to do, so Node ends it without an error. One that prints an error hears of that. */
  early() {
    if (this.#port || this.reason || this.end.code !== 0 || this.explained(this.stderr))
      return super.early();
    return new Missed(
      `${this.name} ended with exit code 0, but did not listen. It should call listen(process.env.PORT, "127.0.0.1"), and should not call process.exit() before it is told to end`,
      this.told(),
    );
  }

  async #listens() {
    const asked = performance.now();
    while (!this.end) {
      this.use(); // a client of an earlier criterion may have stopped it meanwhile
      const port = this.listens({ unsaid: performance.now() - asked > 500 });
      if (port) return port;
      await sleep(LOOK_MS);
    }
    throw this.early();
  }
}

/** Runs the hand-in as a program, to its end. */
export async function runProgram(job, program, { input = "", seconds = CALL_S, ...options } = {}) {
  const startMs = performance.now();
  const child = new Process(job, program, options);
  child.child.stdin.end(input);
  const late = `${child.name} did not end`;
  const end = await child.within(child.ended, seconds, late).catch((error) => {
    if (child.end && !child.reason) return child.end;
    throw error;
  });
  return {
    ...end,
    stdout: child.stdout,
    stderr: child.stderr,
    ms: performance.now() - startMs,
    error: child.explained(child.stderr),
    process: child,
  };
}
