// Played in the process of the hand-in: the two ends of a pump, as they were in 2010. Each notes what is done to it.
const { EventEmitter } = own.require("node:events");
const { setImmediate, setTimeout } = own;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const later = () => new Promise((resolve) => setTimeout(resolve, 1));
const EVENTS = ["data", "end", "error", "drain", "finish", "close", "pause", "resume"];

class Source extends EventEmitter {
  constructor(chunks, log, breaksAfter, slow) {
    super();
    this.#left = [...chunks];
    this.#log = log;
    this.#breaksAfter = breaksAfter;
    this.#slow = slow;
    setImmediate(() => this.#flow());
  }
  // What is noted is noted where only the scene sees it.
  #left;
  #log;
  #breaksAfter;
  #slow;
  #sent = 0;
  #paused = false;
  #over = false;
  #destroyed = 0;
  static noted = (from) => ({ over: from.#over, destroyed: from.#destroyed });
  #flow() {
    while (!this.#paused && !this.#over) {
      if (this.#sent === this.#breaksAfter) {
        this.#over = true;
        this.emit("error", new Error("the reader broke"));
      } else if (this.#left.length === 0) {
        this.#over = true;
        this.#log.push("from: end");
        this.emit("end");
      } else {
        this.#sent++;
        this.emit("data", this.#left.shift());
        if (this.#slow) return setImmediate(() => this.#flow());
      }
    }
  }
  pause() {
    this.#paused = true;
  }
  resume() {
    if (!this.#paused) return;
    this.#paused = false;
    setImmediate(() => this.#flow());
  }
  destroy() {
    this.#destroyed++;
    this.#over = true;
  }
}

class Sink extends EventEmitter {
  constructor(room, log) {
    super();
    this.#room = room;
    this.#log = log;
  }
  #room;
  #log;
  #got = [];
  #held = 0;
  #full = false;
  #whileFull = 0;
  #ends = 0;
  #destroyed = 0;
  #late = 0;
  static noted = (to) => ({
    got: to.#got,
    full: to.#full,
    whileFull: to.#whileFull,
    ends: to.#ends,
    destroyed: to.#destroyed,
    late: to.#late,
  });
  write(chunk) {
    if (this.#ends || this.#destroyed) this.#late++;
    if (this.#full) this.#whileFull++;
    this.#got.push(chunk);
    this.#held++;
    if (this.#held >= this.#room) this.#full = true;
    return !this.#full;
  }
  end(chunk) {
    if (chunk !== undefined) this.write(chunk);
    this.#ends++;
    this.#log.push("to: end()");
  }
  static drain = (to) => to.#drain();
  static finish = (to) => to.#finish();
  #drain() {
    this.#held = 0;
    this.#full = false;
    this.emit("drain");
  }
  #finish() {
    this.#log.push("to: finish");
    this.emit("finish");
  }
  destroy() {
    this.#destroyed++;
  }
}

// Taken away before the hand-in can reach the classes.
const { noted: notedSink, drain, finish } = Sink;
const { noted: notedSource } = Source;
for (const name of ["noted", "drain", "finish"]) {
  delete Sink[name];
  delete Source[name];
}
const noted = (end) => (end instanceof Sink ? notedSink : notedSource)(end);
const { listenerCount } = EventEmitter.prototype;
const listeners = (emitter, event) => Reflect.apply(listenerCount, emitter, [event]);

// Whether something came within some turns of this loop. Who is at work in the same process does not come later because the machine is busy.
async function comes(condition) {
  for (let turns = 0; turns < 50; turns++) {
    if (condition()) return true;
    await turn();
  }
  for (let waits = 0; waits < 100 && !condition(); waits++) await later();
  return condition();
}

function begin(student, { chunks, room = Infinity, breaksAfter = Infinity, slow = false }) {
  const log = [];
  const from = new Source(chunks, log, breaksAfter, slow);
  const to = new Sink(room, log);
  const promise = student.pump(from, to);
  const end = { promised: typeof promise?.then === "function", settled: null };
  const settle = (how) => (value) => {
    log.push(`promise: ${how}`);
    end.settled = how;
    end.value = value;
  };
  if (end.promised) promise.then(settle("resolved"), settle("rejected"));
  else end.settled = "no promise";
  return { from, to, log, end };
}
const left = (emitter) => EVENTS.filter((event) => listeners(emitter, event) > 0);
const told = ({ from, to, log, end }) => {
  const { got, ends, late, whileFull, destroyed } = noted(to);
  return {
    ...end,
    log,
    got,
    ends,
    late,
    whileFull,
    destroyed: { from: noted(from).destroyed, to: destroyed },
    left: { from: left(from), to: left(to) },
  };
};

// All chunks, to a sink that is never full; it finishes some turns after `end()`.
exports.whole = async function whole(student, given) {
  const run = begin(student, given);
  const ended = await comes(
    () => noted(run.to).ends > 0 || (noted(run.from).over && run.end.settled),
  );
  for (let turns = 0; turns < 5; turns++) await turn();
  if (ended && noted(run.to).ends) finish(run.to);
  run.finished = await comes(() => run.end.settled);
  await turn();
  return told(run);
};

// A sink that is full after `room` chunks and drains when it is told: what was written while it was full?
exports.gated = async function gated(student, given) {
  const run = begin(student, given);
  const looks = [];
  for (let drains = 0; noted(run.to).got.length < given.chunks.length; drains++) {
    const before = noted(run.to).got.length;
    const more = await comes(() => noted(run.to).got.length > before);
    if (!more) return { ...told(run), looks, stuck: drains };
    await comes(() => noted(run.to).full || noted(run.from).over);
    for (let turns = 0; turns < 3; turns++) await later();
    looks.push(noted(run.to).got.length);
    if (noted(run.to).whileFull > 0) break;
    if (noted(run.to).full) drain(run.to);
  }
  return { ...told(run), looks };
};

// The reader breaks after some chunks, or the writer, full or not.
exports.broken = async function broken(student, given) {
  const run = begin(student, given);
  await comes(() => noted(run.to).got.length >= given.after);
  if (given.who === "to") run.to.emit("error", new Error("the writer broke"));
  await comes(() => run.end.settled);
  await turn();
  const { log } = run;
  if (given.who === "to" && listeners(run.to, "drain")) drain(run.to);
  for (let turns = 0; turns < 5; turns++) await turn();
  return { ...told(run), log };
};
