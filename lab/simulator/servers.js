// A server with its clients on the model of Node, in virtual time: who waited, for how long and for what. The handler is
// the reader's, its work has declared times (busy, hash, read, query), and what comes of it is predicted, never measured.
import { sendTimes } from "../node/loadgen/schedule.mjs";
import { programOf, runPlans } from "./index.js";
import { NotModelledError } from "./machine.js";

const RAMP_PER_MS = 5; // clients that begin in a millisecond, as those of the book's load generator do
const MOST = { clients: 1000, seconds: 60, rate: 10_000, processes: 16, requests: 5000 };
const SHOWN_LINES = 20;

/** A group of clients that all do the same. `rate` is of an open loop, in requests per second; without it each client waits for its answer. */
const GROUP = {
  name: "",
  clients: 10,
  thinkMs: 0,
  think: "constant", // or "exponential"
  rate: null,
  schedule: "poisson", // or "constant"
  method: "GET",
  path: "/",
  startMs: 0,
  rounds: null, // requests of each client
  patienceMs: null,
  keepAlive: true,
  isConnected: false, // before the run begins
};
/**
 * The machine, and how long it is looked at. `requestMs` and `connectMs` are of the loop: for each request, and each connection.
 * `requestMs` is measured, of a server that only waits (tests/simulator/test_servers.py computes it); `connectMs` is chosen.
 */
export const LOAD = {
  seconds: 2,
  warmSeconds: 0,
  processes: 1,
  processors: 2,
  threads: 4, // of the pool
  connections: 10, // of the database
  requestMs: 0.23,
  connectMs: 0.1,
  seed: 1,
};
const NAMES = {
  clients: "The number of clients",
  thinkMs: "The think time",
  rate: "The rate",
  startMs: "The start",
  rounds: "The number of requests of each client",
  patienceMs: "The patience",
  seconds: "The length of the run",
  warmSeconds: "The warm-up",
  processes: "The number of processes",
  processors: "The number of processors",
  threads: "The number of threads of the pool",
  connections: "The number of database connections",
  requestMs: "The time of each request",
  connectMs: "The time of each connection",
};
const RANGES = {
  clients: [1, MOST.clients, true],
  thinkMs: [0, 60_000],
  rate: [0.1, MOST.rate],
  startMs: [0, 60_000],
  rounds: [1, MOST.requests, true],
  patienceMs: [1, 600_000],
  seconds: [0.01, MOST.seconds],
  warmSeconds: [0, MOST.seconds],
  processes: [1, MOST.processes, true],
  processors: [1, 256, true],
  threads: [1, 1024, true],
  connections: [1, 1000, true],
  requestMs: [0, 1000],
  connectMs: [0, 1000],
};
const CHOICES = { think: ["constant", "exponential"], schedule: ["poisson", "constant"] };
const MAY_BE_NULL = new Set(["rate", "rounds", "patienceMs"]);

const wrong = (sentence) => {
  throw new NotModelledError(sentence);
};
const shown = (value) => (typeof value === "number" ? String(value) : JSON.stringify(value));

function checked(given, defaults, known = defaults) {
  for (const name of Object.keys(given))
    if (!(name in defaults))
      wrong(`A load has no ${name}. Choose from ${Object.keys(known).join(", ")}.`);
  const values = { ...defaults, ...given };
  for (const [name, value] of Object.entries(values)) {
    if (CHOICES[name] && !CHOICES[name].includes(value))
      wrong(`${name} is ${CHOICES[name].join(" or ")}, and not ${shown(value)}.`);
    if (!RANGES[name] || (value === null && MAY_BE_NULL.has(name))) continue;
    const [low, high, isWhole = false] = RANGES[name];
    const isNumber = typeof value === "number" && value >= low && value <= high;
    if (!isNumber || (isWhole && !Number.isInteger(value)))
      wrong(
        `${NAMES[name]} must be a ${isWhole ? "whole number" : "number"} from ${low} to ` +
          `${high}, and not ${shown(value)}.`,
      );
  }
  return values;
}

/** A load as the model takes it, with all that was left out; throws NotModelledError with a sentence for what cannot be. */
export function loadOf(given = {}) {
  const { groups, ...rest } = given;
  const ofGroup = Object.entries(rest).filter(([name]) => name in GROUP);
  const ofAll = Object.entries(rest).filter(([name]) => !(name in GROUP));
  if (groups && ofGroup.length > 0)
    wrong(`With groups of clients, give ${ofGroup[0][0]} for each group.`);
  const known = groups ? { ...LOAD, groups } : { ...LOAD, ...GROUP };
  const machine = checked(Object.fromEntries(ofAll), LOAD, known);
  if (machine.warmSeconds >= machine.seconds) wrong("The warm-up must be shorter than the run.");
  const list = groups ?? [Object.fromEntries(ofGroup)];
  if (list.length === 0) wrong("A server needs at least one group of clients.");
  const checkedGroups = list.map((group) => {
    const whole = checked(group, GROUP);
    // An open loop takes as many connections as it needs.
    if (whole.rate !== null && !("clients" in group)) whole.clients = MOST.clients;
    return whole;
  });
  return { ...machine, groups: checkedGroups };
}

/** The moments of an open loop's requests, as far as they can matter: a run ends after so many of them. */
function timesOf({ rate, schedule }, { seconds, seed, processes }) {
  const most = MOST.requests + processes; // one too many for each process
  // The moments of a shorter run are the first ones of a longer run. Twice the time for so many has all of them.
  const enough = Math.min(seconds, (2 * most) / rate);
  return sendTimes(schedule, rate, enough, seed).slice(0, most);
}

/** What one of several processes gets: every so many-th client, or request of an open loop, of which `times` has all. */
function planOf(load, process, times) {
  const { processes, seconds, ...machine } = load;
  const isMine = (_, number) => number % processes === process;
  const groups = load.groups.map(({ rate, schedule, clients, startMs, ...group }, place) => {
    if (rate !== null) {
      const own = Array.from(times[place].filter(isMine), (at) => at + startMs);
      return { ...group, clients: Math.max(1, Math.floor(clients / processes)), times: own };
    }
    const starts = Array.from({ length: clients }, (_, number) => ({
      number,
      at: startMs + Math.floor(number / RAMP_PER_MS),
    })).filter(isMine);
    return { ...group, starts, times: null };
  });
  return {
    ...machine,
    groups,
    endMs: seconds * 1000,
    seed: load.seed + process,
    // Loops that share processors get equal parts of them.
    processors: load.processors / processes,
    share: 1 / processes, // of the real time that all of them have
    mostRequests: Math.floor(MOST.requests / processes),
  };
}

/** A plan for each process, which `runPlans` takes. */
export function plansOf(load) {
  const times = load.groups.map((group) => (group.rate === null ? null : timesOf(group, load)));
  return Array.from({ length: load.processes }, (_, process) => planOf(load, process, times));
}

/**
 * What came of a server and its clients: {load, rows, summary, cut, error, unanswered, connections, endMs, printed}, from
 * `load` of `loadOf` and the runs of its processes. `rows` has a row for each request: {at, wait, status, group, client, process},
 * times in milliseconds, status 0 for a client that gave up, -1 for a connection that the server closed, null for a request that
 * had no answer when the run ended; and of the wait `door`, until the handler began, `loop`, computing for it, `line` and
 * `thread`, for and on a thread of the pool, `queue` and `query`, for and in the database. `cut` is "requests" or "time" if the
 * run was ended early, else null. `error` is what the program threw, or null. Throws NotModelledError for a program that is no
 * server.
 */
export function resultOf(load, runs) {
  const error = runs.find((run) => run.error)?.error ?? null;
  const [{ served: first }] = runs;
  if (!error && !first.isListening) {
    if (first.isStopped)
      wrong(
        `No server listened within ${load.seconds} s, the length of the run: call createServer((request, response) => { … }).listen(3000) earlier, or make the run longer.`,
      );
    if (!first.hasServer)
      wrong("The program makes no server: call createServer((request, response) => { … }).");
    wrong("The server does not listen. Call its listen(3000).");
  }
  const cut = runs.find(({ served }) => served.cut)?.served.cut ?? null;
  const rows = runs
    .flatMap(({ served }, process) => served.rows.map((row) => ({ ...row, process })))
    .sort((a, b) => a.at - b.at);
  const lines = runs.flatMap((run) => run.lines);
  const ends = runs.map(({ served }) => served.endMs);
  // Of a run that was ended early the processes have come differently far.
  const endMs = cut || error ? Math.min(...ends) : Math.max(...ends);
  return {
    ...{ load, rows, cut, error, endMs },
    connections: runs.reduce((sum, { served }) => sum + served.connections, 0),
    unanswered: rows.filter(({ status }) => status === null).length,
    printed: { lines: lines.slice(0, SHOWN_LINES), count: lines.length },
    summary: summaryOf(rows, load.warmSeconds * 1000, endMs),
  };
}

/**
 * A server and its clients on a machine: what `resultOf` says. `options.parts` may have the text of inside/serving.js. Throws
 * NotModelledError with a sentence for what is not modelled.
 */
export function serve(machine, source, given = {}, { file = "server.js", parts } = {}) {
  const load = loadOf(given);
  const program = { ...programOf(machine, source, file), parts };
  return resultOf(load, runPlans(machine, program, plansOf(load)));
}

/** The causes of waiting, in the order in which a request meets them. */
export const CAUSES = ["door", "loop", "line", "thread", "queue", "query", "rest"];

/** The quantile of sorted values, as a load test has it: the least value that so large a share does not exceed. */
export const quantile = (sorted, share) =>
  sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)] ?? null;

const isAnswered = ({ status }) => status >= 200 && status < 300;
const hasGivenUp = ({ status }) => status === 0;
const endedBetween = (rows, fromMs, endMs) =>
  rows.filter(
    ({ at, wait, status }) => status !== null && at + wait >= fromMs && at + wait <= endMs + 1e-6,
  );

/** Whether a request has a wait as the records count them: answered with a status of 2xx, or given up by its client. */
export const hasWait = (row) => isAnswered(row) || hasGivenUp(row);

/** The waits (ms) of the requests that ended between two times, from the shortest to the longest. */
export const waitsOf = (rows, fromMs, endMs) =>
  endedBetween(rows, fromMs, endMs)
    .filter(hasWait)
    .map(({ wait }) => wait)
    .sort((a, b) => a - b);

/**
 * Of the requests that ended between two times (ms): how many were answered with a status of 2xx, how many clients gave up, how
 * many requests failed (another status, or a connection that the server closed), responses per second, the quantiles of the wait
 * (ms; of `waitsOf`), the mean number of requests in progress, and by cause the mean wait of those that were answered.
 */
export function summaryOf(rows, fromMs, endMs) {
  const seconds = (endMs - fromMs) / 1000;
  const endedRows = endedBetween(rows, fromMs, endMs);
  const answeredRows = endedRows.filter(isAnswered);
  const waits = waitsOf(rows, fromMs, endMs);
  const gaveUp = endedRows.filter(hasGivenUp).length;
  const share = (from, to) => Math.max(0, Math.min(to, endMs) - Math.max(from, fromMs));
  const inProgress = rows.reduce((sum, { at, wait }) => sum + share(at, at + wait), 0);
  const mean = (of) =>
    answeredRows.length
      ? answeredRows.reduce((sum, row) => sum + of(row), 0) / answeredRows.length
      : 0;
  const causes = Object.fromEntries(
    CAUSES.slice(0, -1).map((cause) => [cause, mean((row) => row[cause])]),
  );
  const knownMs = Object.values(causes).reduce((sum, ms) => sum + ms, 0);
  return {
    ended: endedRows.length,
    answered: answeredRows.length,
    gaveUp,
    failed: endedRows.length - answeredRows.length - gaveUp,
    throughput: seconds > 0 ? answeredRows.length / seconds : 0,
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    mean: mean(({ wait }) => wait),
    inProgress: seconds > 0 ? inProgress / (endMs - fromMs) : 0,
    causes: { ...causes, rest: Math.max(0, mean(({ wait }) => wait) - knownMs) },
  };
}
