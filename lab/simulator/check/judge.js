// A hand-in of an exercise, judged on the model: the check on one machine, the hand-in on another, in one virtual time. Whichever
// has something to do first goes on, up to where the other would; what one sends comes to the other at the time of sending.
import { exportsOf, importsOf } from "../exports.js";
import { Guests } from "./guests.js";

const FOLDER = "/hand";
const LONG = "The check took longer than all criteria together may take, so it was stopped.";
const NEVER = Number.POSITIVE_INFINITY;
const BEAT_MS = 400;
const NEXT_MS = 1400; // how long a program may compute that has been stopped once: its reader waits for each criterion
// A check that has sockets of its own reaches no program here: each has a machine to itself.
const OUTSIDE = /\brequire\(["']node:(?:net|http|http2|child_process)["']\)/;
const SYNTAX = /:(\d+)\n[\s\S]*\nSyntaxError: (.*)$/;

/** A program of an exercise: {name, source, file, syntax}; `syntax` is {line, message} of a text that does not parse. */
function programIn({ programOf, NotModelledError }, machine, { name, source }) {
  const file = `${FOLDER}/${name}`;
  const kind = name.endsWith(".cjs") ? "cjs" : "esm";
  try {
    programOf(machine, source, name, FOLDER, kind);
  } catch (error) {
    const [, line, message] =
      (error instanceof NotModelledError && SYNTAX.exec(error.message)) || [];
    if (!line) throw error;
    return { name, source, file, kind, syntax: { line: Number(line), message } };
  }
  const facts =
    kind === "esm"
      ? { imports: importsOf(machine.acorn, source) }
      : { names: exportsOf(machine.acorn, source).names };
  return { name, source, file, kind, ...facts };
}

/**
 * Judges `handIn`, {name, source}, on two machines of the same Node, {driver, handIn}: one for the check, one for the program.
 * `texts` are {driver, harness}, and `exercise` is {criteria, parameters, seconds, call, check, scene}: all texts as `texts.mjs` makes them. `model` is
 * {NotModelledError, programOf, latin1Of, complete}, which a page has already. `tell(said)` hears of each criterion, and `beat()` comes
 * every now and then while it judges. Returns {criteria, series, seen, longest}, the last in milliseconds: the longest time in which no
 * beat could come. What takes more than `seconds`, of virtual time or of the machines' clock, is missed. Throws NotModelledError where
 * the model lacks what the check or the program needs.
 */
export function judge(model, machines, texts, exercise, handIn, options) {
  const { seed, tell = () => {}, beat = () => {} } = options;
  const { NotModelledError, latin1Of } = model;
  const { criteria, parameters, seconds, call, check, scene } = exercise;
  if (OUTSIDE.test(check)) throw new NotModelledError("The model lacks clients from outside");
  const { clock } = machines.driver.limits;
  const began = clock();
  let [workedUntil, beaten, longest] = [began, performance.now(), 0];
  /** What `action` returns, after which a beat may come, and the milliseconds that it took. */
  const work = (action) => {
    const result = action();
    const took = clock() - workedUntil;
    longest = Math.max(longest, took);
    workedUntil += took;
    if (performance.now() - beaten > BEAT_MS) {
      beaten = performance.now();
      beat();
    }
    return [result, took];
  };
  const [program] = work(() => programIn(model, machines.handIn, handIn));
  const job = {
    criteria,
    parameters,
    seed,
    seconds: { all: seconds, call },
    file: handIn.name,
    called: handIn.name,
    programs: { "hand-in": program },
  };
  const checks = new Guests(machines.driver, model); // one: the check itself
  const handIns = new Guests(machines.handIn, model);
  const [main] = work(() =>
    checks.open({}, job, [
      ["driver.js", texts.driver],
      ["check.js", check],
    ]),
  );
  const guests = new Map(); // the processes of the check, by number
  let running = []; // processes of the check that run; all others stand still
  let inbox = []; // for the check
  let inboxAt = 0;
  let wakesAt = 0; // when the check goes on
  let now = 0;
  const verdicts = new Map();
  let result = null;

  const toCheck = (message, at) => {
    inboxAt = Math.max(inbox.length ? inboxAt : 0, at);
    inbox.push(JSON.stringify(message));
  };
  const end = (id, code, signal, at) => {
    const guest = guests.get(id);
    if (!guest || guest.isOver) return;
    guest.isOver = true;
    handIns.close(guest.handle);
    toCheck({ ended: id, code, signal }, at);
  };
  /** That process runs from now on, and of the others only those that run beside it; which of them stand still, stay so. */
  const use = (id) => {
    const { beside } = guests.get(id);
    running = [...running.filter((other) => beside.has(other)), id];
  };
  const does = {
    start({ start: id, program: name }) {
      const { file, source, kind, imports, names } = job.programs[name];
      const files = { [file]: { kind, source, latin1: latin1Of(source), imports, names } };
      files["/own"] = { kind: "folder", latin1: "" };
      const expressions = [["harness.js", texts.harness]];
      if (scene) expressions.push(["the-scene-of-a-check", scene]);
      const guest = { startedAt: now, messages: [], at: now, wakesAt: now, beside: new Set() };
      Object.assign(guest, { toldAt: now, computed: 0 }); // milliseconds more than virtual time has passed
      [guest.handle] = work(() => handIns.open({ files }, { file }, expressions));
      guests.set(id, guest);
      use(id);
    },
    use: ({ use: id }) => guests.has(id) && use(id),
    beside({ beside: [one, other] }) {
      guests.get(one).beside.add(other);
      guests.get(other).beside.add(one);
      use(one);
      use(other);
    },
    kill({ kill: id }) {
      end(id, null, "SIGKILL", now);
    },
    tell({ tell: id, frame }) {
      const guest = guests.get(id);
      if (!guest || guest.isOver) return;
      guest.messages.push(JSON.stringify(frame));
      guest.at = now;
    },
    criterion({ criterion }) {
      verdicts.set(criterion.criterion, criterion);
      tell(criterion);
    },
    lacks({ lacks }) {
      throw new NotModelledError(`The model lacks ${lacks}`);
    },
    over({ over }) {
      result = over;
    },
    fault({ fault }) {
      throw new Error(fault);
    },
  };
  const ofCheck = (limit) => {
    const [report] = work(() => checks.advance(main, limit, inbox, inboxAt));
    inbox = [];
    if (report.isStuck) throw new NotModelledError("The check computes for too long");
    now = Math.max(now, report.time);
    wakesAt = report.wakesAt ?? NEVER;
    for (const text of report.sent) {
      const message = JSON.parse(text);
      does[Object.keys(message)[0]](message);
    }
  };
  const ofGuest = (id, limit) => {
    const guest = guests.get(id);
    const { startedAt, messages } = guest;
    guest.messages = [];
    const [report, took] = work(() =>
      handIns.advance(guest.handle, limit - startedAt, messages, guest.at - startedAt),
    );
    const at = report.isStuck ? now : startedAt + report.time;
    guest.wakesAt = report.wakesAt === null ? NEVER : startedAt + report.wakesAt;
    if (report.printed.length) {
      const text = (which) =>
        report.printed.flatMap(([fd, words]) => (fd === which ? words : [])).join("");
      toCheck({ printed: id, stdout: text(1), stderr: text(2) }, at);
    }
    for (const text of report.sent) toCheck({ said: id, frame: JSON.parse(text) }, at);
    if (report.isStuck) {
      guest.isStuck = true;
      const { limits } = machines.handIn;
      limits.limitMs = Math.min(limits.limitMs, NEXT_MS);
      handIns.close(guest.handle);
      return toCheck({ stuck: id }, at);
    }
    if (report.code !== null) return end(id, report.code, null, at);
    // In the model to compute takes no time; for so long it does: the check goes on, which may have waited long enough.
    guest.computed = Math.max(0, guest.computed + took - (at - guest.toldAt));
    guest.toldAt = at;
    guest.isBusy = guest.computed > call * 1000;
  };

  const goesOnAt = ({ isOver, isStuck, messages, at, wakesAt: wakes }) =>
    isOver || isStuck ? NEVER : messages.length ? at : wakes;
  while (!result && clock() - began <= seconds * 1000) {
    const [guestAt, next] = running
      .map((id) => [goesOnAt(guests.get(id)), id])
      .reduce((least, one) => (one[0] < least[0] ? one : least), [NEVER, null]);
    const checkAt = inbox.length ? Math.max(now, inboxAt) : wakesAt;
    const first = Math.min(guestAt, checkAt);
    if (first > seconds * 1000) break;
    const guest = guests.get(next);
    if (guestAt < checkAt && guest.isBusy) {
      Object.assign(guest, { at: checkAt, wakesAt: checkAt, isBusy: false, computed: 0 });
    } else if (guestAt < checkAt) ofGuest(next, checkAt);
    else ofCheck(guestAt);
  }
  const all = criteria.map(
    ({ id }) => verdicts.get(id) ?? { criterion: id, outcome: "missed", message: LONG },
  );
  return { criteria: all, series: result?.series ?? [], seen: result?.seen ?? {}, longest };
}
