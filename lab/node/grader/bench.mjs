// What a check has in its hands: `t`, the first argument of each of its criteria. docs/add-an-exercise.md shows how it is used.
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { constants as how } from "node:fs";
import { open } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Assertions } from "./assertions.mjs";
import { Missed } from "./conversation.mjs";
import { Module, runProgram, Server } from "./hand-in.mjs";
import * as proc from "./proc.mjs";

// Brought when it is first asked for: to most checks it would be a third of their driver's start.
const http = () => createRequire(import.meta.url)("node:http");

const SPARE = 12 << 20; // bytes by which two programs that do the same may differ

export class Bench extends Assertions {
  // ---------------------------------------------------------------- the hand-in

  /** Loads the hand-in as a module in a process of its own. See `Module`: call, scene, events, needs, memory, stop. */
  module(options) {
    return Module.start(this.job, this.#program(options), options);
  }
  /** Starts the hand-in as a server. See `Server`: port, url, memory, descriptors, threads, cpu, signal, stop. */
  server(options) {
    return Server.start(this.job, this.#program(options), options);
  }
  /** Runs the hand-in as a program to its end: {code, signal, stdout, stderr, ms, error}. */
  program(options) {
    return runProgram(this.job, this.#program(options), options);
  }
  /** `reference: "name.mjs"` runs a program of the exercise instead, in the same sandbox. */
  #program({ reference } = {}) {
    return reference ? join(this.job.exercise, reference) : this.job.handIn;
  }

  /** What the checks of a project's steps share: the exports of its module. */
  shared() {
    return import(pathToFileURL(this.job.shared).href);
  }

  /** A named pipe in the hand-in's view. Whoever opens it to read waits, in a thread of the pool, until `open()`. */
  fifo(process, name) {
    return new Fifo(join(process.work, name), join(process.at.work, name));
  }
  /** An unguessable word. */
  token() {
    return randomBytes(9).toString("base64url");
  }

  // ---------------------------------------------------------------- asking a server

  /** One request on a connection of its own: {status, headers, body, ms}, or {error} with Node's code. */
  get(server, path, options = {}) {
    return request(server.port, path, options);
  }
  /** `count` clients that each ask `times` times, one after another; `path` may be a function of (client, time). */
  async clients(server, count, path, { times = 1, ...options } = {}) {
    const runClient = async (client) => {
      const answers = [];
      for (let time = 0; time < times; time++)
        answers.push(
          await request(
            server.port,
            typeof path === "function" ? path(client, time) : path,
            options,
          ),
        );
      return answers;
    };
    return (
      await Promise.all(Array.from({ length: count }, (_, client) => runClient(client)))
    ).flat();
  }

  /**
   * Judges what only a clock can tell, against two programs of the exercise that run in the same minute: `measure(server, whose)` returns
   * milliseconds (or any number that is bad when large) of `good`, of `bad`, and of the hand-in, in turns (ABC, CBA, ...).
   * Noise only adds, so the smallest of each counts. Accepted below the geometric mean of good and bad; without a
   * separation of `apart` between those two the machine is too noisy to tell. A fail needs three in a row.
   * Returns {held, mine, good, bad, rounds}.
   */
  async ratio({
    good,
    bad,
    start = (options) => this.server(options),
    measure,
    rounds = 5,
    apart = 10,
  }) {
    const arms = { good: { reference: good }, mine: {}, bad: { reference: bad } };
    let result;
    for (let attempt = 0; attempt < 3; attempt++) {
      const timesMs = { good: [], mine: [], bad: [] };
      for (let round = 0; round < rounds; round++) {
        const order = Object.keys(arms);
        for (const whose of round % 2 ? order.reverse() : order) {
          const server = await start(arms[whose]);
          try {
            timesMs[whose].push(await measure(server, whose));
          } finally {
            await server.stop();
          }
        }
      }
      const [best, mine, worst] = ["good", "mine", "bad"].map((whose) =>
        Math.min(...timesMs[whose]),
      );
      result = {
        held: mine < Math.sqrt(best * worst),
        mine,
        good: best,
        bad: worst,
        rounds: timesMs,
      };
      if (worst / best < apart) result.noisy = true;
      else if (result.held) return result;
      else result.noisy = false;
    }
    if (result.noisy)
      this.noisy(
        `the machine is too busy: two programs that are known to differ were measured only ${(result.bad / result.good).toFixed(1)} times apart`,
      );
    return result;
  }

  // ---------------------------------------------------------------- what a check reads of a process

  /**
   * Resident bytes from which the growth of a program counts: what it has now, or what the solution has after the same, and some
   * more, where that is less. Whoever takes room in advance, and uses it when growth is looked at, has grown. `alike(process)` does
   * with the solution what has been done with the program before; `start` starts it.
   */
  async before(process, alike = () => {}, start = (options) => this.server(options)) {
    const now = process.memory().now;
    const reference = await start({ reference: this.job.solution });
    try {
      await alike(reference);
      return Math.min(now, reference.memory().now + SPARE);
    } finally {
      await reference.stop();
      process.use();
    }
  }

  proc = proc;
  digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
}

const openPipes = new Set(); // files that must not be closed by the garbage collection, which newer versions of Node take for an error

class Fifo {
  constructor(path, inside) {
    try {
      execFileSync("mkfifo", [path], { stdio: "ignore" });
    } catch {
      throw new Missed(
        `the check could not make a named pipe in the folder of your program: ${inside} already exists, or the disk is full`,
      );
    }
    this.path = path;
    this.inside = inside;
  }
  /**
   * Lets those who wait read `text` and come to its end. Opened for both, so that it does not wait itself, and only if it is the
   * pipe still: the hand-in may have put something else in its place, or a link.
   */
  async open(text = "") {
    const file = await this.#opened(how.O_RDWR);
    try {
      await file.write(text);
      await sleep(20); // who waited has opened it by now
    } finally {
      await file.close();
    }
  }
  /** Whether a program reads the pipe, or waits to. From then on that program waits for what `write` or `end` brings. */
  async isRead() {
    this.#writer ??= await this.#opened(how.O_WRONLY).catch((error) => {
      if (error.code === "ENXIO") return undefined; // no program reads
      throw error;
    });
    if (this.#writer) openPipes.add(this.#writer);
    return this.#writer !== undefined;
  }
  /** Writes to a pipe that `isRead`; says whether a program still reads it. */
  async write(text) {
    try {
      await this.#writer.write(text);
      return true;
    } catch (error) {
      if (error.code === "EPIPE") return false;
      if (error.code === "EAGAIN") return true; // the pipe is full
      throw error;
    }
  }
  /** Writes the last of what there is to read. */
  async end(text = "") {
    if (text) await this.write(text);
    openPipes.delete(this.#writer);
    await this.#writer.close();
  }
  #writer;
  async #opened(mode) {
    const file = await open(this.path, mode | how.O_NOFOLLOW | how.O_NONBLOCK);
    if ((await file.stat()).isFIFO()) return file;
    await file.close();
    throw new Missed(`${this.inside}, a pipe of the check, was replaced by something else`);
  }
}

/** One HTTP request; never throws. `agent: false` opens a connection of its own. */
export function request(
  port,
  path,
  { method = "GET", headers = {}, body, seconds = 5, agent = false, most = 64 << 20 } = {},
) {
  return new Promise((resolve) => {
    const started = performance.now();
    const settle = (answer) => {
      clearTimeout(timer);
      resolve({ ms: performance.now() - started, ...answer });
    };
    const asking = http().request(
      { host: "127.0.0.1", port, path, method, headers, agent },
      (response) => {
        const chunks = [];
        let size = 0;
        response.on("data", (chunk) => {
          size += chunk.length;
          if (size > most) asking.destroy();
          else chunks.push(chunk);
        });
        response.on("end", () =>
          settle({
            status: response.statusCode,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
        response.on("error", (error) =>
          settle({
            status: response.statusCode,
            error: error.code ?? error.message,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    const timer = setTimeout(() => {
      settle({ error: "timeout" });
      asking.destroy();
    }, seconds * 1000);
    asking.on("error", (error) => settle({ error: error.code ?? error.message }));
    asking.end(body);
  });
}
