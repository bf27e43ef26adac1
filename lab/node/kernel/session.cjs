// nel's session, with what a reader expects of a kernel: a process that dies or does not stop is
// reported and replaced, nothing it printed is lost or shown under a cell that did not print it,
// and the process never outlives the kernel.
"use strict";

const childProcess = require("node:child_process");
const { randomUUID } = require("node:crypto");
const path = require("node:path");
const { understood } = require("./messages.cjs");
const { Meter } = require("./meter.cjs");
const { Tap } = require("./tap.cjs");
const { transpile } = require("./transpile.cjs");

// nel discards what its process writes to the real stdout and stderr. It may be the message of a
// crash, or the output of a program that a cell started with `stdio: "inherit"`: give it pipes.
const { spawn } = childProcess;
// And a process group of its own: a client interrupts the kernel's whole group at any moment, and
// there are moments when that signal would kill the process or hit the cell after (see `interrupt`).
// What a cell starts inherits a mark, by which it is found even if it has left that group.
const MARK = "LAB_CELLS";
childProcess.spawn = (command, args, options) => {
  const mark = randomUUID();
  const server = spawn(command, args, {
    ...options,
    detached: true,
    env: { ...process.env, [MARK]: mark },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  return Object.assign(server, { mark });
};
const nel = require("nel");
childProcess.spawn = spawn;

const NelSession = nel.Session;
NelSession._args = [path.join(__dirname, "cells.cjs")];

const SIGNAL_MS = 100;
const PATIENCE_MS = 3000;
const DRAIN_MS = 1000;
const GUARD_MS = 10_000; // for a guard that stands still: a busy one takes its time to see who is there
const LAST_WORDS_CHARS = 2000;
const QUICK_MS = 10_000; // a slow machine starts a process in seconds
const QUICK_DEATHS = 3; // in a row, without a cell: the next one would die, too
const KEPT_CELLS = 100; // whose late output is shown as theirs

// What Node and V8 print of themselves when they end a process: addresses, frames of their own, collections of garbage.
const MACHINERY =
  /^(?:\s*\d+: (?:0x[\da-f]+|\S.*:-?\d+:-?\d+\)?$)|-{5} (?:Native|JavaScript) stack trace|<--- |.*(?:Mark-Compact|allocation failure;))/;

/** The words of a process without those, which say nothing to who wrote a cell. */
const withoutMachinery = (words) =>
  words
    .split("\n")
    .filter((line) => !MACHINERY.test(line))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

/** The session jp-kernel creates in place of nel's; there is one per kernel, `Session.current`. */
class Session extends NelSession {
  static current = null;

  constructor(config) {
    super(config);
    Session.current = this;
    this.cellNumber = 0;
    // An interactive client keeps listening for a cell that is done; an executing one (a book being
    // built) does not, so what comes late must wait for the next cell.
    this.interactive = false;
    this.held = [];
    this.meter = new Meter(); // of late output of cells long ago
    this.quickDeaths = 0;
    this.broken = "";
    this.atLineStart = true;
    this._adopt();
  }

  /** Everything that belongs to one process, done anew after each restart. */
  _adopt() {
    const server = this._server;
    this.started = Date.now();
    this.signalled = false; // since the last cell began
    this.finished = new Map(); // cells by id; a new process counts anew
    this.transpile = (code) => this._program(code);
    this.taps = [new Tap(server.stdout, "stdout"), new Tap(server.stderr, "stderr")];
    for (const tap of this.taps) tap.on("text", (text) => this._raw(tap, text));
    server.removeAllListeners("message");
    server.on("message", (message) => this._receive(message));
    server.on("exit", (code, signal) => this._died(server, code, signal));
    // If this process is killed, a cell in an endless loop would never notice: a shell waits for the
    // end of its input and then ends the cells' process. A line tells it that this has ended by itself.
    // What the cells had started has three seconds to put its things in order, then it ends as well:
    // the group; by their mark those that left it (`detached: true`); and those without the mark (an
    // `env` of their own) that descended from the cells' process when we ended it, but for what is
    // marked "apart" (lab's own, which takes the time it needs to stop servers).
    const guard = `
      trap "" INT TERM HUP
      marked() {
        if [ -e /proc/self/environ ]; then
          grep -slaF "${MARK}=$1" /proc/[0-9]*/environ | cut -d / -f 3
        else
          ps -axEww -o pid= -o command= | grep "[${MARK[0]}]${MARK.slice(1)}=$1" | awk '{ print $1 }'
        fi
      }
      # All with their parents, and a name that no later process with the same pid has.
      processes() {
        if [ -e /proc/self/stat ]; then
          cat /proc/[0-9]*/stat 2>/dev/null |
            awk '{ pid = $1; sub(/^.*[)] /, ""); if ($1 !~ /[ZX]/) print pid, $2, pid ":" $20 }'
        else
          ps -A -o pid= -o ppid= | awk '{ print $1, $2, $1 ":" }'
        fi
      }
      descended() {
        processes | awk -v from="$1" -v apart=" $(marked apart | tr '\\n' ' ')" '
          { parent[$1] = $2; name[$1] = $3 }
          END {
            for (one in parent) {
              for (at = one; at in parent && at != from && !index(apart, " " at " "); at = parent[at]);
              if (at == from && one != from) printf " %s", name[one]
            }
          }'
      }
      left() {
        [ -z "$kin" ] || processes | awk -v kin="$kin " 'index(kin, " " $3 " ") { print $1 }'
      }
      kin=
      read -r ok
      if [ "$ok" != ok ]; then
        kill -s STOP "$0" 2>/dev/null
        kin=$(descended "$0")
        kill -s KILL "$0" 2>/dev/null
      fi
      # Three seconds in few rounds: each starts eight programs, which is slow where much else runs.
      for pause in 0.1 0.2 0.4 0.8 1.5 ""; do
        kill -s 0 -- "-$0" 2>/dev/null || [ -n "$(marked "$1"; left)" ] || break
        if [ -z "$pause" ]; then
          kill -s KILL -- "-$0" 2>/dev/null
          for pid in $(marked "$1"; left); do kill -s KILL "$pid" 2>/dev/null; done
          break
        fi
        sleep $pause
      done`;
    const watch = spawn("/bin/sh", ["-c", guard, String(server.pid), server.mark], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    watch.on("error", () => {}); // no shell to be had: its exit code says so, see `kill`
    server.on("error", () => {}); // a message to a process that has just died; its "exit" follows
    watch.stdin.on("error", () => {});
    watch.unref();
    server.on("exit", () => watch.stdin.end("ok\n"));
    this.watch = watch;
    this.end = () => watch.stdin.end("end\n");
  }

  execute(code, callbacks) {
    if (!callbacks?.beforeRun) return super.execute(code, callbacks);
    if (this.broken) {
      callbacks.beforeRun();
      return fail(callbacks, "SessionBroken", this.broken);
    }
    const meter = new Meter();
    const meteredCallbacks = meter.around(callbacks);
    const beforeRun = () => {
      if (this._currentTask) this._currentTask.meter = meter; // else it is not run
      this.cellNumber += 1;
      this.atLineStart = true;
      callbacks.beforeRun();
      this._releaseHeld();
    };
    const onStdout = (text) => {
      this.atLineStart = text.endsWith("\n");
      meteredCallbacks.onStdout(text);
    };
    return super.execute(code, { ...meteredCallbacks, beforeRun, onStdout });
  }

  /** What the cells' process answers to a question of Tab or Shift-Tab, once the cells before it are done. */
  look(question) {
    return new Promise((onSuccess) => {
      const onError = () => onSuccess(undefined);
      this._run({ action: "look", code: question, onSuccess, onError });
    });
  }

  /** nel calls this with the text of a cell just before it is sent (and once with text of its own). */
  _program(source) {
    const task = this._currentTask;
    if (!task.onStdout) return source;
    task.id = this._lastContextId;
    task.number = this.cellNumber;
    this.finished.set(task.id, task);
    if (this.finished.size > KEPT_CELLS) this.finished.delete(this._oldest());
    const program = transpile(source, task.number);
    const cell = { id: task.id, number: task.number, source, program };
    if (this.signalled) cell.signalled = true;
    this.signalled = false;
    return `$$cell$$(${JSON.stringify(cell)})`;
  }

  async _receive(sent) {
    const starts = this._status === "starting" && sent?.status === "online";
    const message = starts ? { status: "online" } : understood(sent, this._lastContextId);
    if (!message) return;
    const cell = this._contextTable[message.id];
    if (message.end && cell?.number) {
      const marks = this.taps.map((tap) => tap.ended(message.id));
      await Promise.race([Promise.all(marks), new Promise((r) => setTimeout(r, DRAIN_MS))]);
      if (this._contextTable[message.id] !== cell) return;
      this.quickDeaths = 0;
    }
    if (!cell && message.id <= this._lastContextId) this._late(message);
    else NelSession.prototype._onMessage.call(this, message);
  }

  _oldest() {
    return this.finished.keys().next().value;
  }

  /** Output of a cell that is done, from a callback it left behind. */
  _late({ id, stdout, stderr, display }) {
    const task = this.finished.get(id);
    if (!task && !(id < this._oldest())) return; // of nel itself
    if (this.interactive && task) {
      if (stdout) task.onStdout(stdout);
      if (stderr) task.onStderr(stderr);
      if (display?.mime) task.onDisplay(display);
      return;
    }
    const meter = task?.meter ?? this.meter;
    const late = display?.mime
      ? meter.display(display)
      : { text: meter.text(stdout ?? stderr ?? "") };
    if (!late.text && !late.display) return;
    this.held.push({ number: task?.number, stderr: stdout === undefined, ...late });
    this._releaseHeld();
  }

  /** Shows what came late under the running cell, each line saying whose it is. */
  _releaseHeld() {
    const task = this._currentTask;
    if (!task?.onStdout) return;
    for (const { number, text, stderr, display } of this.held.splice(0)) {
      if (display) task.onDisplay(display);
      if (!text) continue;
      const opening = this.atLineStart ? "" : "\n";
      const labelled = opening + label(number, text);
      if (stderr) task.onStderr(labelled);
      else task.onStdout(labelled);
    }
  }

  /** What a process of the reader wrote to the streams it inherited: nobody knows for which cell. */
  _raw(tap, text) {
    const task = this._currentTask?.onStdout
      ? this._currentTask
      : this.finished.get(this._lastContextId);
    if (task) task[tap.name === "stdout" ? "onStdout" : "onStderr"](text);
  }

  /**
   * First politely, which keeps the variables; a cell that does not stop is ended with its process.
   *
   * A process whose loop turns is asked by message. A signal is for a loop that stands still: while
   * Node puts its own handler back after a cell's synchronous part, SIGINT would kill the process.
   */
  interrupt() {
    const task = this._currentTask;
    if (!task) return;
    const server = this._server;
    const still = () => this._currentTask === task && this._server === server;
    if (server.connected && task.id) server.send({ interrupt: task.id });
    setTimeout(() => {
      if (!still()) return;
      this.signalled = true;
      signalGroup(server, "SIGINT");
    }, SIGNAL_MS);
    setTimeout(() => {
      if (still())
        this._replace(
          "Interrupted",
          "The cell did not stop when asked, so its session was restarted. " +
            "All variables are lost. Run the cells above again.",
        );
    }, PATIENCE_MS);
  }

  _died(server, code, signal) {
    if (server === this._ending) return;
    const how = signal ? `killed by ${signal}` : `exit code ${code}`;
    const words = withoutMachinery(this.taps[1].tail);
    const lastWords = words ? `\nIts last words:\n${words.slice(-LAST_WORDS_CHARS)}` : "";
    const ran = this._status === "online" || this._currentTask?.number;
    if (!this._currentTask?.number && Date.now() - this.started < QUICK_MS) {
      this.quickDeaths += 1;
      if (this.quickDeaths >= QUICK_DEATHS) return this._giveUp(how, lastWords);
    }
    if (!ran) return this.restart("SIGKILL"); // cells that wait for it lose nothing
    this._replace(
      "SessionEnded",
      `The process that runs the cells ended (${how}) and was restarted. ` +
        `All variables are lost. Run the cells above again.${lastWords}`,
    );
  }

  /** A process that cannot even start is not started for ever: all cells say why from now on. */
  _giveUp(how, lastWords) {
    this.broken =
      `The process that runs the cells ended ${QUICK_DEATHS} times as soon as it was started ` +
      `(${how}), so no cell can run. Remove the cause, then restart the kernel.${lastWords}`;
    this._status = "dead";
    this._currentTask = null;
    const waiting = this._tasks.splice(0);
    for (const task of waiting) {
      task.beforeRun?.();
      fail(task, "SessionBroken", this.broken);
    }
    process.stderr.write(`SessionBroken: ${this.broken}\n`);
  }

  /** Fails the running cell and those that wait, and starts a new process for the next ones. */
  _replace(name, message) {
    const current = this._currentTask;
    const waiting = this._tasks.splice(0);
    this._currentTask = null;
    if (current) fail(current, name, message);
    for (const task of waiting) {
      task.beforeRun?.();
      fail(task, "Aborted", "Not run, because an earlier cell ended the session.");
    }
    if (!current)
      this.held.push({ number: this.cellNumber, text: `${name}: ${message}\n`, stderr: true });
    this.restart("SIGKILL");
  }

  /** What came on the channel was no message at all; nothing after it can be read. */
  spoiled() {
    this._replace(
      "SessionEnded",
      "A cell wrote into the channel between its process and the kernel, so the process was " +
        "restarted. All variables are lost. Run the cells above again.",
    );
  }

  kill(_signal, onExit) {
    const server = this._server;
    this._ending = server;
    this._status = "ending"; // cells that come now wait for the next process; "dead" drops them
    if (server.exitCode !== null || server.signalCode !== null) return void onExit?.();
    server.once("exit", (code, signal) => onExit?.(code, signal));
    // Nothing of a session is kept, and a cell in an endless loop hears no other signal than SIGKILL:
    // of the guard, which sees first who descends from it, or ours, should the guard be gone.
    const { watch } = this;
    const alone = () => server.kill("SIGKILL");
    if (!watch.pid || watch.exitCode !== null || watch.signalCode !== null) return void alone();
    watch.once("exit", alone);
    this.end();
    setTimeout(alone, GUARD_MS).unref();
  }

  restart(signal, onRestart) {
    this.kill(signal, () => {
      const waiting = this._tasks; // what came while the old process was ending
      NelSession.call(this, this._nelConfig);
      this._tasks.push(...waiting);
      this._adopt();
      onRestart?.();
    });
  }

  /** What no cell came to show, for the log of the client. */
  unseen() {
    return this.held.map(({ number, text }) => (text ? label(number, text) : "")).join("");
  }
}

function fail(task, name, message) {
  const traceback = [`${name}: ${message}`];
  task.onError?.({ error: { ename: name, evalue: message, traceback } });
  task.afterRun?.();
}

/** With the programs that the cell waits for, as at a terminal. */
function signalGroup(server, signal) {
  try {
    process.kill(-server.pid, signal);
  } catch {
    // It has just ended.
  }
}

function label(number, text) {
  const lines = text.replace(/\n$/, "").split("\n");
  const whose = number ? `cell ${number}` : "an earlier cell";
  return lines.map((line) => `[${whose}, after it was done] ${line}\n`).join("");
}

nel.Session = Session;
module.exports = { Session };
