// A run of the model as a recording that the replay draws: what lab/trace/canonical.py makes of a run of
// real Node, from rows of the same kind. The model knows the phase of each callback, so there is one
// witness and nothing to agree on; and its time is virtual, so a callback takes none.

import { optionsOf } from "./complete.js";

const COLUMNS = ["t_us", "what", "task", "iteration", "phase", "line", "data", "stack"];
const MAIN = 0;
const UNKNOWN = "unknown";
const LANES = {
  Timeout: "timers",
  Immediate: "check",
  TickObject: "tick",
  PROMISE: "micro",
  Microtask: "micro",
};
const POOL_FILES = new Set(["FSREQCALLBACK", "FSREQPROMISE", "FILEHANDLE", "FILEHANDLECLOSEREQ"]);
const POOL_SLOW = new Set(["GETADDRINFOREQWRAP", "GETNAMEINFOREQWRAP"]);
const POOL_WORK = /^(ZLIB|PBKDF2REQUEST|SCRYPTREQUEST|RANDOM\w*REQUEST|HASHREQUEST)$/;
const HANDLES = new Set(["MESSAGEPORT"]);
const NOUNS = {
  GETADDRINFOREQWRAP: "getaddrinfo",
  ZLIB: "compression",
  MESSAGEPORT: "message port",
};
// The function of Node that the program's line called, when the resource is the program's own.
const CALLED_FOR = {
  TickObject: /^nextTick$/,
  Timeout: /^(setTimeout|setInterval|wait)$/,
  Immediate: /^setImmediate$/,
  Microtask: /^queueMicrotask$/,
  PROMISE:
    /^(awaited|then|catch|finally|Promise|resolve|reject|all|allSettled|race|any|withResolvers|try)$/,
};
const USUAL = { Immediate: "setImmediate", TickObject: "process.nextTick" };

/** Where such a resource waits. */
function laneOf(kind) {
  if (LANES[kind]) return LANES[kind];
  if (POOL_SLOW.has(kind)) return "slow";
  if (POOL_FILES.has(kind) || POOL_WORK.test(kind)) return "pool";
  return HANDLES.has(kind) ? "kernel" : "other";
}

/** A resource of async_hooks, as the reader knows it. */
class Task {
  constructor(id, kind, { t = 0, trigger = 0, by = 0, site = null, detail = null } = {}) {
    Object.assign(this, { id, kind, t, trigger, by, site, detail: detail ?? {} });
    this.lane = laneOf(kind);
    this.runs = 0;
    this.line = null;
    this.label = "";
    this.index = null; // its place in the recording, once something of it is shown
  }

  /** True when the program's own text asked for it, false when Node made it. */
  get isOwn() {
    if (!this.site) return false;
    const pattern = CALLED_FOR[this.kind];
    return !pattern || pattern.test(this.site.called ?? "");
  }

  get isInputOutput() {
    return ["pool", "slow", "kernel"].includes(this.lane);
  }
}

/** {tasks, columns, events, module, code, ended} of a traced run of a program; of one with streams also `buffers` and `levels`. */
export function recordingOf({ rows, shifts, code }, { source, name, kind }, acorn) {
  const calls = callsOf(acorn, source, kind);
  const placed = rows.map((row) =>
    row.map((value) => (Array.isArray(value?.at) ? sited(value, shifts, calls) : value)),
  );
  return new Builder(placed, source.split("\n"), { name, kind, code }).build();
}

const SOURCE_KEPT = 20_000;

/**
 * What `explore` found as a trace, the content of a `.trace.json` file: the same schema as of a
 * recorded one, with `origin: "model"`. Its `runs` and counts are schedules that were tried.
 */
export function traceOf({ node, runs, orders, cut }, { name, kind, source }) {
  const endings = {};
  for (const { code, count } of orders)
    endings[`code ${code}`] = (endings[`code ${code}`] ?? 0) + count;
  const recordings = orders.flatMap(({ trace }, order) => (trace ? [{ ...trace, order }] : []));
  const version = {
    origin: "model",
    node: node.version,
    uv: node.versions.uv,
    runs,
    ended: endings,
    orders: orders.map(({ lines, count, because, weight, trace }) => ({
      lines,
      count,
      recorded: trace ? 1 : 0,
      because,
      weight,
    })),
    recordings,
    notes: notesOf(orders, cut),
  };
  return {
    schema: 1,
    type: "loop-trace",
    origin: "model",
    name,
    module: kind,
    source: source.slice(0, SOURCE_KEPT),
    pool: orders[0].threads,
    versions: [version],
  };
}

function notesOf(orders, cut) {
  const notes = ["This is a model with virtual time, so nothing here was measured."];
  if (cut) notes.push("The search for orders reached its limit, so there may be more.");
  const [{ code, report, missing }] = orders;
  if (missing.length)
    notes.push(`The disk of the model has only the program, and no ${missing.join(", no ")}.`);
  if (code) notes.push(`The program ends with exit code ${code}${reasonIn(report)}.`);
  return notes;
}

/** The first line of a report that says more than where. */
function reasonIn(report) {
  const line = report.split("\n").find((text) => text.trim() && text.trim() !== "Uncaught:");
  return line ? `: ${line.trim()}` : "";
}

/** [to be read, to be written] of each of a recording's buffers after the event `at`; null for what a stream has not. */
export function levelsAt({ buffers, levels }, at) {
  const first = (mark) => (mark === null ? null : 0);
  const now = buffers.map(({ reads, writes }) => [first(reads), first(writes)]);
  for (const [event, number, ...both] of levels) if (event <= at) now[number] = both;
  return now;
}

/** A site with the lines and columns that V8 would tell: those of the name of the function that is called. */
function sited({ at, called: calleeName }, shifts, calls) {
  const frames = at.map(([line, column, functionName, isExact], number) => {
    if (isExact) return [line, column, functionName];
    let offset = column - 1;
    for (const [of, place, length] of shifts)
      if (of === line && offset > place) offset = Math.max(place, offset - length);
    const callee = calls.at(line, offset, number ? at[number - 1][2] : calleeName);
    return [...(callee ?? [line, offset + 1]), functionName];
  });
  return { at: frames, called: calleeName };
}

/** The calls of a program. The engine tells the place of what it has looked at last, often an argument. */
function callsOf(acorn, source, kind) {
  const calls = [];
  let tree = null;
  try {
    tree = acorn.parse(source, optionsOf(kind === "esm", true));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const visit = (node, depth) => {
    const isFunction = /Function/.test(node.type);
    const { callee } = node;
    if (callee && node.type !== "Super") {
      const name = callee.type === "MemberExpression" ? callee.property : callee;
      const place = node.type === "NewExpression" ? node.loc.start : name.loc.start;
      calls.push({ ...node.loc, depth, name: name.name, place: [place.line, place.column + 1] });
    }
    if (isFunction) calls.push({ ...node.loc, depth: depth + 1, isFunction });
    for (const child of Object.values(node).flat())
      if (child && typeof child.type === "string") visit(child, isFunction ? depth + 1 : depth);
  };
  if (tree) visit(tree, 0);
  const holds = ({ start, end }, line, column) =>
    (start.line < line || (start.line === line && start.column <= column)) &&
    (end.line > line || (end.line === line && end.column >= column));
  return {
    at(line, column, name) {
      const around = calls.filter((call) => holds(call, line, column));
      const depth = Math.max(
        0,
        ...around.filter(({ isFunction }) => isFunction).map((one) => one.depth),
      );
      const inside = around.filter((call) => !call.isFunction && call.depth === depth);
      return (inside.findLast((call) => call.name === name) ?? inside.at(-1))?.place ?? null;
    },
  };
}

class Builder {
  constructor(rows, source, { name, kind, code }) {
    Object.assign(this, { rows, source, name, kind, code });
    this.tasks = new Map();
    this.shown = [{ kind: "main", lane: "main", label: name }];
    this.events = [];
    this.stack = [];
    this.resolved = new Set();
    this.waiters = new Map();
    this.pending = []; // callbacks of Node's own, shown once something happens inside
    this.folded = null;
    this.buffers = []; // of streams: {label, line, reads, writes}, their marks
    this.levels = []; // [number of an event, of a buffer, to be read, to be written]
    this.changed = new Map(); // by the buffer's number: its levels that the next event shows
    this.isMain = false;
    this.root = null; // what runs while the module's text does; null for CommonJS
  }

  build() {
    this.#collect();
    for (const row of this.rows) this[`_${row[0]}`]?.(row);
    return {
      tasks: this.shown,
      columns: COLUMNS,
      events: this.events,
      module: this.kind,
      code: this.code,
      ended: "exit",
      ...(this.buffers.length ? { buffers: this.buffers, levels: this.levels } : {}),
    };
  }

  /** Every resource of the rows by its async id, with line and label. */
  #collect() {
    for (const row of this.rows) {
      if (row[0] === "i") {
        const [, t, id, kind, trigger, by, site, detail] = row;
        const task = new Task(id, kind, { t, trigger, by, site, detail });
        const maker = this.tasks.get(by) ?? this.tasks.get(trigger);
        task.line = site ? site.at[0][0] : (maker?.line ?? null);
        this.tasks.set(id, task);
      } else if (row[0] === "b") {
        if (!this.tasks.has(row[2])) this.tasks.set(row[2], new Task(row[2], UNKNOWN));
        this.tasks.get(row[2]).runs += 1;
      }
    }
    for (const task of this.tasks.values()) task.label = this.#labelOf(task);
  }

  /** What the reader wrote (`fs.readFile`), with what Node made of it (`open`). */
  #labelOf(task) {
    const sourceCall = task.site ? this.#sourceCall(task.site) : null;
    if (task.kind === "Timeout") {
      const { ms, every } = task.detail;
      return `${sourceCall ?? (every ? "setInterval" : "setTimeout")} ${typeof ms === "number" ? `${ms} ms` : ""}`;
    }
    const maker = this.tasks.get(task.by) ?? this.tasks.get(task.trigger);
    const inherits = maker && maker.line !== null && !(maker.isOwn && LANES[maker.kind]);
    const call = sourceCall ?? (inherits ? maker.label.split(" · ")[0] : null);
    if (task.isOwn && LANES[task.kind]) return call ?? USUAL[task.kind] ?? "promise";
    const noun = task.detail.call ?? NOUNS[task.kind] ?? task.detail.fn;
    if (!call) return noun ?? task.kind;
    return noun && !call.endsWith(`.${noun}`) ? `${call} · ${noun}` : call;
  }

  #sourceCall({ at: [[line, column]] }) {
    const text = this.source[line - 1] ?? "";
    const start = column - 1 - (/new\s+$/.exec(text.slice(0, column - 1))?.[0].length ?? 0);
    const word = /^(new\s+)?[\w$.#]+/.exec(text.slice(start))?.[0];
    if (!word) return null;
    const before = /[\w$.?\])]*$/.exec(text.slice(0, start))[0];
    return `${/(?:[\w$]+\.)+$/.exec(before)?.[0] ?? (before.endsWith(".") ? "." : "")}${word}`;
  }

  #emit(t, type, task = null, { iteration, phase, line, data, stack } = {}) {
    const { pending } = this;
    this.pending = [];
    this.#flush();
    for (const { t: at, task: inner, iteration: of, phase: where } of pending)
      this.#run(at, inner, of, where);
    const row = [t, type, task, iteration, phase, line, data, stack].map((value) => value ?? null);
    while (row.at(-1) === null) row.pop();
    for (const [number, both] of this.changed)
      this.levels.push([this.events.length, number, ...both]);
    this.changed.clear();
    this.events.push(row);
  }

  #indexOf(task) {
    if (task.index !== null) return task.index;
    task.index = this.shown.length;
    let maker = this.tasks.get(task.by);
    while (maker && maker.index === null) maker = this.tasks.get(maker.by);
    const by = maker ? maker.index : task.by === this.root ? MAIN : null;
    const facts = {
      kind: task.kind,
      lane: task.lane,
      label: task.label,
      line: task.line,
      by,
      ms: task.detail.ms,
      fn: task.detail.fn,
      stays: task.detail.every != null || HANDLES.has(task.kind) || null,
      internal: task.isOwn || task.isInputOutput ? null : true,
    };
    this.shown.push(Object.fromEntries(Object.entries(facts).filter(([, value]) => value != null)));
    return task.index;
  }

  #endMain(t) {
    if (!this.isMain) return;
    this.isMain = false;
    this.#emit(t, "end", MAIN);
  }

  // --- the rows --------------------------------------------------------------------------------
  _m([, t, by]) {
    this.isMain = true;
    if (this.kind === "esm") this.root = by;
    this.events = [];
    this.#emit(t, "run", MAIN, { iteration: 0, phase: "main" });
  }

  _M([, t]) {
    this.#endMain(t);
  }

  _i([, t, id]) {
    const task = this.tasks.get(id);
    const isUnseen = task.kind === "PROMISE" || task.kind === "ZLIB" || task.lane === "other";
    if ((task.isOwn || task.isInputOutput) && !isUnseen)
      this.#emit(t, "new", this.#indexOf(task), placeOf(task.site));
    else if (task.kind === "PROMISE" && task.isOwn && task.runs) {
      this.#emit(t, "new", this.#indexOf(task), placeOf(task.site));
      const { trigger, detail } = task;
      if (detail.isSettled || !this.tasks.has(trigger) || this.resolved.has(trigger))
        this.#ready(t, task);
      else this.waiters.set(task.trigger, [...(this.waiters.get(task.trigger) ?? []), task]);
    }
  }

  #ready(t, task) {
    task.isReady = true;
    this.#emit(t, "ready", task.index);
  }

  _b([, t, id, iteration, phase]) {
    if (this.kind === "cjs") this.#endMain(t);
    this.stack.push(id);
    const task = this.tasks.get(id);
    // The engine does not tell that a promise is rejected; what waits for it runs next.
    if (task.kind === "PROMISE" && task.index !== null && !task.isReady) this.#ready(t, task);
    if (task.isOwn || !["tick", "micro"].includes(task.lane)) this.#run(t, task, iteration, phase);
    else this.pending.push({ t, task, iteration, phase });
  }

  #run(t, task, iteration, phase) {
    this.#emit(t, "run", this.#indexOf(task), { iteration, phase, line: task.line });
  }

  _a([, t, id]) {
    while (this.stack.length && this.stack.at(-1) !== id) this.#end(t, this.stack.pop());
    if (this.stack.length) this.#end(t, this.stack.pop());
  }

  #end(t, id) {
    const task = this.tasks.get(id);
    const last = this.pending.at(-1);
    if (last && last.task === task) {
      this.pending.pop();
      this.#fold(last, t);
    } else if (task && task.index !== null) this.#emit(t, "end", task.index);
  }

  /** Callbacks of Node's own in which nothing happens are one event. */
  #fold({ t: start, iteration, phase }, t) {
    const event = this.folded;
    if (event?.iteration === iteration && event.phase === phase) {
      event.count += 1;
      event.us += t - start;
      return;
    }
    this.#flush();
    this.folded = { start, count: 1, us: t - start, iteration, phase };
  }

  #flush() {
    const event = this.folded;
    if (!event) return;
    this.folded = null;
    const { start, count, us, iteration, phase } = event;
    this.events.push([start, "node", null, iteration, phase, null, [count, us]]);
  }

  _r([, t, id]) {
    this.resolved.add(id);
    const waiters = this.waiters.get(id) ?? [];
    this.waiters.delete(id);
    for (const task of waiters) this.#ready(t, task);
  }

  _k([, t, id, site]) {
    const task = this.tasks.get(id);
    if (task && task.index !== null) this.#emit(t, "gone", task.index, placeOf(site));
  }

  /** The place of the callback that runs; outside of all, that of the program's text. */
  get #running() {
    const task = this.tasks.get(this.stack.at(-1));
    return task ? this.#indexOf(task) : MAIN;
  }

  _o([, t, descriptor, text, site]) {
    const data = text.endsWith("\n") ? text.slice(0, -1) : text;
    const what = descriptor === 1 ? "out" : "err";
    this.#emit(t, what, this.#running, { ...placeOf(site), data });
  }

  _s([, site, marks]) {
    const [[line, column]] = site.at;
    const before = (this.source[line - 1] ?? "").slice(0, column - 1);
    const name = /([\w$]+)\s*=\s*(?:await\s+)?(?:new\s+)?(?:[\w$]+\.)*$/.exec(before)?.[1];
    const call = this.#sourceCall(site) ?? "stream";
    this.buffers.push({ label: name ? `${name} · ${call}` : call, line, ...marks });
  }

  _l([, changes]) {
    for (const [number, ...both] of changes) this.changed.set(number, both);
  }

  "_!"([, t, message]) {
    this.#emit(t, "error", this.#running, { data: message });
  }

  _g([, t, id, slot]) {
    this.#emit(t, "thread", this.#indexOf(this.tasks.get(id)), { data: slot });
  }

  _d([, t, id]) {
    this.#emit(t, "done", this.#indexOf(this.tasks.get(id)));
  }

  _L([, t]) {
    this.#emit(t, "cut", null, { data: "events" });
  }

  _x([, t, code]) {
    this.#endMain(t);
    while (this.stack.length) this.#end(t, this.stack.pop());
    this.#emit(t, "exit", null, { data: code });
  }
}

/** Line, and the chain of the program's functions where there is one. */
function placeOf(site) {
  if (!site) return {};
  const named = site.at.map(([line, , name]) => [name ?? "(anonymous)", line]);
  const isChain = named.length > 1 || site.at[0][2];
  return { line: site.at[0][0], stack: isChain ? named : null };
}
