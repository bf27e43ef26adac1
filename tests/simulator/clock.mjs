// Real Node with its clock held (clock.c): a run that no neighbour disturbs, and that sleeps no time.
import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCE = new URL("clock.c", import.meta.url).pathname;
const FOLDER = new URL("../../_build/simulator/", import.meta.url).pathname;
const WARM = new URL("warm.cjs", import.meta.url).pathname;
const HEAD_BYTES = 8;
const PATIENCE_MS = 5_000; // with a copy, which may wait for a thread that it has not
const PATIENCE_ALONE_MS = 30_000;

// Where V8 gives back memory, it wakes the loop once more than a program does.
const QUIET = "--no-memory-reducer";
// A copy has one thread, and the collector of Node 26 waits for others. So there is room for what a program makes.
const COPIED = ["--single-threaded", "--min-semi-space-size=64", "--max-semi-space-size=64", QUIET];

/** The statement from which on the clock is held; a program of `HeldNode` begins with it. */
export const MARKER = "process.umask();";

const scheduleOf = (delays) => delays.map(([reading, ms]) => `${reading}:${ms}`).join(",");

/** The compiled library, made again where its source is newer. */
export function library() {
  const file = join(FOLDER, "clock.so");
  if (existsSync(file) && statSync(file).mtimeMs > statSync(SOURCE).mtimeMs) return file;
  mkdirSync(FOLDER, { recursive: true });
  const draft = join(FOLDER, `clock-${process.pid}.so`);
  execFileSync("cc", ["-O2", "-shared", "-fPIC", "-o", draft, SOURCE, "-ldl"]);
  renameSync(draft, file);
  return file;
}

/**
 * A Node that is started once and runs any number of programs of a kind, each in a copy of itself. The
 * modules that the programs share are loaded before the copies are made.
 */
export class HeldNode {
  #child = null;
  #chunks = Buffer.alloc(0);
  #waiting = null;
  #written = null;

  constructor(node, kind, folder) {
    this.node = node;
    this.file = join(folder, `program.${kind === "esm" ? "mjs" : "cjs"}`);
  }

  /** {lines, code} of a program; each delay of the schedule is [number of a reading, milliseconds]. */
  async run(source, delays = []) {
    if (source !== this.#written) writeFileSync(this.file, source);
    this.#written = source;
    this.#child ??= this.#start();
    const schedule = scheduleOf(delays);
    const answer = new Promise((resolve) => {
      this.#waiting = resolve;
    });
    this.#child.stdin.write(`${schedule}\n`);
    const timer = setTimeout(() => this.#fail("killed: it never ends"), PATIENCE_MS);
    const { lines, code } = await answer;
    clearTimeout(timer);
    return { lines, code };
  }

  /** The same of a Node of its own, which has all its threads and takes longer to start. */
  runAlone(source, delays = []) {
    writeFileSync(this.file, source);
    this.#written = source;
    const env = {
      ...process.env,
      NODE_OPTIONS: "",
      NO_COLOR: "1",
      LD_PRELOAD: library(),
      HELD_SCHEDULE: scheduleOf(delays),
    };
    const options = { timeout: PATIENCE_ALONE_MS, env, maxBuffer: 2 ** 26 };
    return new Promise((resolve) => {
      execFile(this.node, [QUIET, "--require", WARM, this.file], options, (error, stdout) => {
        const lines = stdout.split("\n").slice(1, -1); // the first is that of warm.cjs
        resolve({ lines, code: error ? (error.code ?? `killed: ${error.signal}`) : 0 });
      });
    });
  }

  #start() {
    const env = {
      ...process.env,
      NODE_OPTIONS: "",
      NO_COLOR: "1",
      LD_PRELOAD: library(),
      HELD_COPIES: this.file,
    };
    const child = spawn(this.node, [...COPIED, "--require", WARM, this.file], {
      env,
      detached: true, // so that a copy that never ends is ended with it
      stdio: ["pipe", "ignore", "ignore", "pipe"],
    });
    child.stdin.on("error", () => {});
    child.stdio[3].on("data", (chunk) => this.#take(chunk));
    child.on("exit", () => child === this.#child && this.#fail("killed: no copy can be made"));
    return child;
  }

  #take(chunk) {
    this.#chunks = Buffer.concat([this.#chunks, chunk]);
    if (this.#chunks.length < HEAD_BYTES) return;
    const end = HEAD_BYTES + this.#chunks.readUInt32LE(0);
    if (this.#chunks.length < end) return;
    const status = this.#chunks.readUInt32LE(4);
    const lines = this.#chunks.toString("utf8", HEAD_BYTES, end).split("\n").slice(0, -1);
    this.#chunks = this.#chunks.subarray(end);
    this.#answer({ lines, code: status & 127 ? `killed: ${status & 127}` : status >> 8 });
  }

  #answer(outcome) {
    const resolve = this.#waiting;
    this.#waiting = null;
    resolve?.(outcome);
  }

  #fail(code) {
    this.end();
    this.#answer({ lines: [], code });
  }

  end() {
    const child = this.#child;
    this.#child = null;
    this.#chunks = Buffer.alloc(0);
    try {
      if (child) process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  }
}
