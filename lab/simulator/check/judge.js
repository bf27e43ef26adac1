// A hand-in of an exercise, judged on the model: the check on one machine, the hand-in on another, in one virtual time. Whichever
// has something to do first goes on, up to where the other would; what one sends comes to the other at the time of sending.
import { exportsOf, importsOf } from "../exports.js";
import { Guests } from "./guests.js";

const FOLDER = "/hand";
const LONG = "It took longer than all criteria together may take, so it was stopped.";
const NEVER = Number.POSITIVE_INFINITY;
const BEAT_MS = 400;
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
    const [, line, message] = error instanceof NotModelledError ? SYNTAX.exec(error.message) : [];
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
 * Judges `handIn`, {name, source}, on two machines of the same Node. `exercise` is {criteria, parameters, seconds, call, check, scene,
 * programs}: texts as `texts.mjs` makes them, `programs` the check's own, by their names; after them come the texts of all exercises. The first argument has the
 * model: {NotModelledError, programOf, latin1Of, complete}, which a page has already. `tell(said)` hears of each criterion, and `beat()` comes
 * every now and then while it judges. Returns {criteria, series, seen, longest}. Throws NotModelledError where the model lacks what the
 * check or the program needs.
 */
export function judge(model, machines, { driver, harness }, exercise, handIn, how) {
  const { seed, tell = () => {}, beat = () => {} } = how;
  const { NotModelledError, latin1Of } = model;
  const { criteria, parameters, seconds, call, check, scene } = exercise;
  if (OUTSIDE.test(check)) throw new NotModelledError("The model lacks clients from outside");
  const sources = { ...exercise.programs, "hand-in": handIn };
  const programs = Object.fromEntries(
    Object.entries(sources).map(([id, one]) => [id, programIn(model, machines.handIn, one)]),
  );
  const job = {
    criteria,
    parameters,
    seed,
    seconds: { all: seconds, call },
    file: handIn.name,
    called: handIn.name,
    reference: exercise.reference,
    programs,
  };
  const config = JSON.stringify(job);
  const [side, hands] = [machines.driver, machines.handIn].map(
    (machine) => new Guests(machine, model),
  );
  const main = side.open({}, JSON.parse(config), [
    ["driver.js", driver],
    ["check.js", check],
  ]);
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
    toCheck({ ended: id, code, signal }, at);
  };
  const does = {
    start({ start: id, program }) {
      const { file, source, kind, imports, names } = programs[program];
      const files = { [file]: { kind, source, latin1: latin1Of(source), imports, names } };
      files["/own"] = { kind: "folder", latin1: "" };
      const texts = [["harness.js", harness]];
      if (scene) texts.push(["the-scene-of-a-check", scene]);
      const born = now;
      const guest = { born, messages: [], at: born, wakesAt: born, isOver: false, beside: [id] };
      guests.set(id, guest);
      running = guest.beside;
      guest.handle = hands.open({ files }, { file }, texts);
    },
    use({ use: id }) {
      running = guests.get(id)?.beside ?? running;
    },
    beside({ beside: ids }) {
      for (const id of ids) guests.get(id).beside = ids;
      running = ids;
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
  const { clock } = machines.driver.limits;
  let longest = 0; // milliseconds in which a machine did not come back
  const measure = (action) => {
    const began = clock();
    const report = action();
    longest = Math.max(longest, clock() - began);
    return report;
  };
  const ofCheck = (limit) => {
    const report = measure(() => side.advance(main, limit, inbox, inboxAt));
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
    const { messages } = guest;
    guest.messages = [];
    const report = measure(() =>
      hands.advance(guest.handle, limit - guest.born, messages, guest.at - guest.born),
    );
    const at = guest.born + (report.time ?? 0);
    guest.wakesAt = report.wakesAt === null ? NEVER : guest.born + report.wakesAt;
    if (report.isStuck) {
      guest.isStuck = true;
      return toCheck({ stuck: id }, now);
    }
    if (report.printed.length) {
      const text = (which) =>
        report.printed.flatMap(([fd, words]) => (fd === which ? words : [])).join("");
      toCheck({ printed: id, stdout: text(1), stderr: text(2) }, at);
    }
    for (const text of report.sent) toCheck({ said: id, frame: JSON.parse(text) }, at);
    if (report.code !== null) end(id, report.code, null, at);
  };

  const goesOnAt = ({ isOver, isStuck, messages, at, wakesAt: wakes }) =>
    isOver || isStuck ? NEVER : messages.length ? at : wakes;
  let beaten = performance.now();
  while (!result) {
    if (performance.now() - beaten > BEAT_MS) {
      beaten = performance.now();
      beat();
    }
    const [guestAt, next] = running
      .map((id) => [goesOnAt(guests.get(id)), id])
      .reduce((least, one) => (one[0] < least[0] ? one : least), [NEVER, null]);
    const checkAt = inbox.length ? Math.max(now, inboxAt) : wakesAt;
    const first = Math.min(guestAt, checkAt);
    if (first > seconds * 1000) break;
    if (guestAt < checkAt) ofGuest(next, checkAt);
    else ofCheck(guestAt);
  }
  const all = criteria.map(
    ({ id }) => verdicts.get(id) ?? { criterion: id, outcome: "missed", message: LONG },
  );
  return { criteria: all, series: result?.series ?? [], seen: result?.seen ?? {}, longest };
}
