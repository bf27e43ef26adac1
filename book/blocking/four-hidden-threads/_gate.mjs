// A gate: named pipes that nobody writes to. Whoever opens one for reading waits in open(2), on no CPU,
// until somebody opens the other end. So a thread of the pool can be held for as long as we like.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const LEAVE = fileURLToPath(new URL("./_leave.cjs", import.meta.url));

export class Gate {
  constructor(pipes) {
    this.folder = mkdtempSync(join(tmpdir(), "gate-"));
    this.pipes = Array.from({ length: pipes }, (_, i) => join(this.folder, String(i)));
    this.names = join(this.folder, "names"); // what getaddrinfo is told to read first, see below
    execFileSync("mkfifo", [...this.pipes, this.names]);
  }

  // Let in whoever waits, and return how many that were. Last pipe first: the pool takes them in order,
  // so a thread that is freed takes one that has been counted already as not waited for.
  open() {
    return this.pipes.toReversed().filter((pipe) => {
      try {
        closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
        return true;
      } catch (error) {
        if (error.code !== "ENXIO") throw error; // ENXIO: nobody reads there
        return false;
      }
    }).length;
  }

  remove() {
    rmSync(this.folder, { recursive: true });
  }
}

// Run a program until it has printed a line and `ms` have passed, and then what `meanwhile` says. The
// threads behind the gate would keep it from ending, so it is killed.
export const held = async (program, args, { env = {}, ms = 300, meanwhile = () => {} } = {}) => {
  const child = spawn(process.execPath, ["-r", LEAVE, program, ...args.map(String)], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"], // its standard input ends when we do
  });
  const lines = [];
  try {
    await new Promise((started, failed) => {
      child.on("error", failed);
      child.on("exit", (code) => failed(new Error(`${program} ended with ${code}`)));
      setTimeout(() => failed(new Error(`${program} said nothing for 10 s`)), 10_000).unref();
      child.stdout.on("data", (text) => {
        lines.push(...String(text).trim().split("\n"));
        started();
      });
    });
    await sleep(ms);
    return { result: await meanwhile(), lines };
  } finally {
    child.kill("SIGKILL");
  }
};

// A look-up of this name waits at the gate where the C library is glibc: it looks for an alias first, in
// the file that HOSTALIASES names.
export const NAME = "name-behind-the-gate";
export const canHoldNames = Boolean(process.report.getReport().header.glibcVersionRuntime);
