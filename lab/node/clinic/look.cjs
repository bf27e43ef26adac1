// The close look, for seconds only, since it slows the program down: which callbacks run for how long without the loop
// coming round, what is waited for, and who writes on where a stream has said no.
"use strict";
const asyncHooks = require("node:async_hooks");
const { performance } = require("node:perf_hooks");
const channel = require("node:diagnostics_channel");

// What runs before the loop goes on, all of it: a run is one callback of the loop and these behind it.
const SOON = new Set(["PROMISE", "TickObject", "Microtask"]);
const POOL = new Set([
  "FSREQCALLBACK",
  "FSREQPROMISE",
  "FILEHANDLECLOSEREQ",
  "PBKDF2REQUEST",
  "SCRYPTREQUEST",
  "RANDOMBYTESREQUEST",
  "RANDOMPRIMEREQUEST",
  "CHECKPRIMEREQUEST",
  "KEYPAIRGENREQUEST",
  "KEYGENREQUEST",
  "SIGNREQUEST",
  "VERIFYREQUEST",
  "HASHREQUEST",
  "DERIVEBITSREQUEST",
  "CIPHERREQUEST",
  "ARGON2REQUEST",
]);
const NAMES = new Set(["GETADDRINFOREQWRAP", "GETNAMEINFOREQWRAP", "QUERYWRAP"]);
const LONG_MS = 5;
const READ_MS = 1; // how stale the time that a run waited for a processor may be
const MOST_RUNS = 5000;
const MOST_IDS = 1_000_000;
const MOST_SITES = 400;

module.exports = function look(sockets, servers, isSubject) {
  const counts = {};
  const macro = new Set();
  const waiting = new Map();
  const waits = {};
  const runs = [];
  const sites = require("./sites.cjs")(MOST_SITES);
  const calls = require("./calls.cjs")(sites, servers, isSubject);
  const streams = require("./streams.cjs")(sites, calls, sockets);
  const firstId = new asyncHooks.AsyncResource("LAB").asyncId();
  const startMs = performance.now();
  let depth = 0;
  let run = null;
  let requests = 0;
  let answerCount = 0;
  let latencyMs = 0;
  let nRuns = 0;
  let busyMs = 0;
  const arrivalMs = new WeakMap();
  const waitClock = require("./wait-clock.cjs")();
  const waitedBefore = waitClock.ms();

  function closeRun() {
    if (run === null) return;
    const ms = run.last - run.first;
    nRuns += 1;
    busyMs += ms;
    // What others on the machine took meanwhile is not the program's doing.
    const own = Math.max(0, ms - (run.waited - run.waitedBefore));
    if (ms >= LONG_MS && runs.length < MOST_RUNS) runs.push([ms, own, run.jobs, run.longest]);
    run = null;
  }

  const hook = asyncHooks.createHook({
    init(id, type, _, resource) {
      counts[type] = (counts[type] ?? 0) + 1;
      if (SOON.has(type)) return;
      if (macro.size < MOST_IDS) macro.add(id);
      if (POOL.has(type) || NAMES.has(type)) {
        waiting.set(id, [performance.now(), type]);
        sites.note(type);
      }
      // The handle of a compression is one for all its jobs: of these only the number is known.
      if (type === "ZLIB") sites.note(type);
      if (type === "Timeout") calls.set(id, resource);
    },
    before(id) {
      const now = performance.now();
      if (depth === 0) {
        const soon = id >= firstId && !macro.has(id);
        if (!soon || run === null) {
          closeRun();
          const before = waitClock.ms();
          run = { first: now, last: now, jobs: 0, longest: 0, began: now, read: now };
          run.waitedBefore = run.waited = before;
        }
        run.jobs += 1;
        run.began = now;
      }
      depth += 1;
      calls.fired(id);
      const asked = waiting.get(id);
      if (asked !== undefined) {
        waiting.delete(id);
        const [since, type] = asked;
        waits[type] ??= { n: 0, ms: 0, longest_ms: 0 };
        waits[type].n += 1;
        waits[type].ms += now - since;
        waits[type].longest_ms = Math.max(waits[type].longest_ms, now - since);
      }
    },
    after() {
      depth -= 1;
      if (depth > 0) return;
      depth = 0;
      if (run === null) return;
      run.last = performance.now();
      run.longest = Math.max(run.longest, run.last - run.began);
      if (run.last - run.read > READ_MS) {
        run.read = run.last;
        run.waited = waitClock.ms();
      }
    },
  });

  const onRequest = ({ request }) => {
    requests += 1;
    arrivalMs.set(request, performance.now());
  };
  const onAnswer = ({ request }) => {
    const since = arrivalMs.get(request);
    if (since === undefined) return;
    answerCount += 1;
    latencyMs += performance.now() - since;
  };
  // A connection that our program opens to a name: how long until the name was known, whoever looked it up.
  const lookups = { n: 0, ms: 0 };
  const onSocket = ({ socket }) => {
    const since = performance.now();
    socket.once?.("lookup", (_, __, ___, host) => {
      if (!host || /^[\d.]+$|:/.test(host)) return;
      lookups.n += 1;
      lookups.ms += performance.now() - since;
    });
  };
  const leaveArrivals = require("./arrivals.cjs")(servers, onRequest, onAnswer);
  channel.subscribe("net.client.socket", onSocket);
  hook.enable();

  return function rest() {
    hook.disable();
    leaveArrivals();
    channel.unsubscribe("net.client.socket", onSocket);
    closeRun();
    const end = performance.now();
    const lostMs = waitClock.ms() - waitedBefore;
    waitClock.close();
    const still = {};
    for (const [since, type] of waiting.values()) {
      still[type] ??= { n: 0, ms: 0 };
      still[type].n += 1;
      still[type].ms += end - since;
    }
    return {
      seconds: (end - startMs) / 1000,
      waited_ms: lostMs,
      requests,
      answered: answerCount,
      latency_ms: latencyMs,
      counts,
      waits,
      still,
      named: lookups,
      runs,
      n_runs: nRuns,
      busy_ms: busyMs,
      streams: streams(),
      calls: calls.rest(),
      sites: sites.all(),
    };
  };
};
