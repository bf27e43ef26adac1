// All orders in which a program can print. Code takes time, and the model's takes none unless its
// schedule says so: at each reading of the clock some milliseconds may have passed. Schedules are
// tried from the likeliest on. Each run names the readings at which more time would have changed
// what is due, and the schedules with one more delay come from these. In a long program many small
// delays come together, each of them unlikely. So every second run draws all its times by chance, as
// real code takes them, and how often an order was drawn says how likely it is.

// How unlikely a delay is, as the negative logarithm of a probability: rough, and enough to rank by.
// A main program takes a millisecond or two, a wake-up from sleep is often late, and elsewhere a
// millisecond is much.
const rarity = ({ phase, kind, turn, slept }, ms) => {
  if (kind === "pool") return 1.5;
  const more = 0.9 * Math.log2(ms);
  if (phase === "main" || (kind === "loop" && turn === 0)) return 0.6 + more;
  if (slept) return 1 + more;
  return 2.2 + more;
};

const ENOUGH_DRAWS = 40; // to say which order is likelier
const MOST_SHORTENED = 10; // orders, the likeliest
const MOST_SHORTENINGS = 60; // runs
const DEFAULTS = {
  mostRuns: 400,
  mostMs: 2000,
  mostRarity: 7,
  mostDelay: 30,
  byPlaces: false, // two orders differ, too, where a line is printed in another phase or turn
  masked: (lines) => lines, // two orders differ where these do
  isEnough: () => false, // of the orders by their keys, [lines, code] as JSON: true ends the search
  outOnly: false, // what is printed to the standard error is no line of an order
  firstRun: null, // the run of the likeliest schedule, if there is one already
  clock: () => performance.now(),
};

const keyOf = ({ lines, code, places }, { byPlaces, masked }) =>
  JSON.stringify(byPlaces ? [masked(lines), code, places] : [masked(lines), code]);

/**
 * {orders, cut, runs}: each order with its lines, exit code, phases, what decides it, the number of
 * schedules that came to it and the likeliest of them; `cut` if
 * more schedules were left than there was time for. With `toward`, the lines of one order, only
 * schedules are tried that may lead there, and the search ends when it is there.
 */
export function explore(machine, program, wanted = {}) {
  const options = { ...DEFAULTS, ...wanted };
  const { mostRuns, mostMs, mostRarity, mostDelay, clock, toward } = options;
  const end = clock() + mostMs;
  const orders = new Map();
  const states = new Set();
  let scheduleCount = 0; // schedules
  let draws = 0;
  // Towards one order every second schedule is the likeliest there is, and not the one that came
  // nearest: what leads there may first lead away.
  const frontier = new Frontier("rank");
  const likeliest = new Frontier("rarity");
  const add = (schedule) => {
    frontier.push(schedule);
    if (toward) likeliest.push(schedule);
  };
  const take = () => {
    const queue = toward && scheduleCount % 2 ? likeliest : frontier;
    let schedule = queue.pop();
    while (schedule?.isTaken) schedule = queue.pop();
    if (schedule) schedule.isTaken = true;
    return schedule;
  };
  /** Counts an order once more, or keeps it as a new one. */
  const addOrder = (outcome, more) => {
    const key = keyOf(outcome, options);
    const order = orders.get(key) ?? { ...outcome, weight: 0, count: 0, draws: 0, ...more };
    orders.set(key, order);
    order.count++;
    return order;
  };
  /** A run whose times are drawn by chance: several small delays together, which the search has late. */
  const draw = () => {
    const run = machine.run(program, {}, { mostMs: mostDelay, draw: ++draws });
    const noted = new Map(run.noted.map((reading) => [reading.number, reading]));
    const delays = run.drawn
      .filter(([number]) => noted.has(number))
      .map(([number, ms]) => ({ ...noted.get(number), ms }));
    const schedule = Object.fromEntries(run.drawn);
    addOrder(outcomeOf(run, options), { delays, schedule }).draws++;
  };
  const mayDraw = () => !toward && (orders.size > 1 || draws < ENOUGH_DRAWS);
  /** Leaves out the delays of a drawn order without which it is the same order. */
  const shorten = (order, mayGoOn) => {
    const wantedKey = keyOf(order, options);
    for (let at = order.delays.length; at >= 0 && mayGoOn(); at--) {
      const delays = order.delays.filter((_, index) => index !== at);
      const schedule = scheduleOf(delays);
      const outcome = outcomeOf(machine.run(program, schedule, { mostMs: mostDelay }), options);
      if (keyOf(outcome, options) === wantedKey)
        Object.assign(order, outcome, { delays, schedule });
      else if (at === order.delays.length) return; // what is not noted matters, too
    }
  };
  add({ rank: 0, rarity: 0, delays: [] });
  let isCut = false;
  for (let next = take(); next; next = take()) {
    if (scheduleCount >= mostRuns || (scheduleCount > 0 && clock() > end)) {
      isCut = true;
      break;
    }
    if (mayDraw() && scheduleCount > 0) {
      draw();
      if (options.isEnough(orders)) break;
    }
    scheduleCount++;
    const { rarity: cost, delays } = next;
    const schedule = scheduleOf(delays);
    const last = delays.at(-1)?.number ?? -1;
    const isFirst = scheduleCount === 1;
    const run =
      (isFirst && options.firstRun) || machine.run(program, schedule, { mostMs: mostDelay, last });
    const outcome = outcomeOf(run, options);
    const key = keyOf(outcome, options);
    const share = Math.exp(-cost);
    const order = addOrder(outcome, { delays, schedule });
    if (!order.weight) Object.assign(order, outcome, { delays, schedule }); // fewer than a draw had
    order.weight += share;
    const commonLines = toward ? agreement(outcome.lines, toward.lines) : Number.POSITIVE_INFINITY;
    if (options.isEnough(orders) || (toward && key === keyOf(toward, options))) break;
    const ahead = run.noted.filter(({ number }) => number > last);
    // Two schedules that come to the same state go on alike: the likelier one went first.
    const state = stateOf(run, ahead[0], options);
    if (states.has(state)) continue;
    states.add(state);
    for (const [at, reading] of ahead.entries()) {
      if (reading.printed > commonLines) break;
      for (const ms of stepsOf(reading, ahead[at + 1], mostDelay)) {
        const total = cost + rarity(reading, ms);
        if (total > mostRarity) continue;
        // What made an order turn off is mostly a delay just before.
        const rank = toward
          ? total / 2 - 5 * commonLines + (commonLines - reading.printed) / 2
          : total;
        add({ rank, rarity: total, delays: [...delays, { ...reading, ms }] });
      }
    }
  }
  while (mayDraw() && orders.size > 1 && draws < ENOUGH_DRAWS && clock() < end) draw();
  const drawnOnly = new Set([...orders.values()].filter(({ weight }) => weight === 0));
  // What chance drew says how often an order comes; the search, of those that no draw came to, which is rarer.
  const shares = [...orders.values()].reduce((sum, { weight }) => sum + weight, 0);
  for (const order of orders.values())
    order.weight = (order.draws + order.weight / shares) / (draws + 1);
  const ranked = [...orders.values()].sort((a, b) => b.weight - a.weight);
  let shortenings = MOST_SHORTENINGS;
  for (const order of ranked.slice(0, MOST_SHORTENED))
    if (drawnOnly.has(order)) shorten(order, () => shortenings-- > 0 && clock() < end + mostMs / 4);
  return { orders: ranked.map(explained), cut: isCut, runs: scheduleCount + draws };
}

const scheduleOf = (delays) => Object.fromEntries(delays.map(({ number, ms }) => [number, ms]));

/** The delays before a reading that would change what is due, also against the timer set with it. */
function stepsOf(reading, following, mostDelay) {
  const steps = new Set(reading.steps);
  if (reading.kind === "read" && following?.now === reading.now) {
    const before = new Set(reading.offsets);
    for (const duration of following.offsets)
      if (!before.has(duration))
        for (const offset of reading.offsets)
          for (const ms of [offset - duration, offset - duration + 1])
            if (ms > 0 && ms <= mostDelay) steps.add(ms);
  }
  return steps;
}

/** What was printed by a reading of the clock, and when the timers are due from then on. */
function stateOf({ chunks }, reading, { byPlaces, masked: maskedLines }) {
  if (!reading) return null;
  const { kind, phase, turn, offsets, printed, immediates, inFlight } = reading;
  const chunksBefore = chunks.slice(0, printed);
  return JSON.stringify([
    byPlaces ? chunksBefore : maskedLines(chunksBefore.map(([, text]) => text)),
    kind,
    phase,
    byPlaces ? turn : null,
    offsets,
    immediates,
    inFlight,
  ]);
}

/** How many lines two orders have in common from the beginning. */
function agreement(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function explained({ weight, delays, draws: _, ...order }) {
  return { ...order, because: delays.map(sentence), weight: Math.round(weight * 1000) / 1000 };
}

/** Why a schedule differs from one in which code takes no time. */
function sentence({ phase, kind, turn, slept, ms, now, next, ways }) {
  if (kind === "pool") return `${ways[ms - 1]} in turn ${turn}`;
  const time = ms === 1 ? "a millisecond" : `${Math.round(ms * 100) / 100} ms`;
  const due = now + ms >= next ? ", so that the next timer is due" : "";
  if (kind === "loop" && turn === 0)
    return `the main program takes ${time} from its timers to the loop's first check of them${due}`;
  if (phase === "main") return `the main program takes ${time} before it sets this timer${due}`;
  if (slept) return `the loop wakes ${time} late in turn ${turn}${due}`;
  if (kind === "read")
    return `${time} pass in the ${phase} phase of turn ${turn}, before a timer is set${due}`;
  return `${time} pass before the clock is read again after the ${phase} phase of turn ${turn}${due}`;
}

/** What a run printed, line by line, where, and how it ended. */
export function outcomeOf({ chunks, code, missing, threads }, { outOnly = false } = {}) {
  const lines = [];
  const places = [];
  const open = { 1: "", 2: "" };
  const starts = {};
  const finish = (fd) => {
    lines.push(open[fd]);
    places.push(starts[fd]);
    open[fd] = "";
  };
  let report = "";
  for (const [fd, text, phase, turn, origin] of chunks) {
    if (origin === "report") {
      report += text;
      continue;
    }
    if (outOnly && fd === 2) continue;
    const parts = text.split("\n");
    for (const [at, part] of parts.entries()) {
      if (at) finish(fd);
      if (part && !open[fd]) starts[fd] = { phase, turn };
      else if (!open[fd]) starts[fd] = { phase, turn };
      open[fd] += part;
    }
  }
  for (const fd of [1, 2]) if (open[fd]) finish(fd);
  return { lines, places, code, report, missing, threads };
}

/** A heap of schedules, those with the least of a key first; of equal ones the older. */
class Frontier {
  #heap = [];
  #count = 0;

  constructor(key) {
    this.key = key;
  }

  push(schedule) {
    const heap = this.#heap;
    heap.push({ schedule, value: schedule[this.key], born: this.#count++ });
    let at = heap.length - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!before(heap[at], heap[up])) break;
      [heap[at], heap[up]] = [heap[up], heap[at]];
      at = up;
    }
  }

  pop() {
    const heap = this.#heap;
    if (heap.length < 2) return heap.pop()?.schedule;
    const top = heap[0];
    heap[0] = heap.pop();
    let at = 0;
    for (;;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && before(heap[child], heap[least])) least = child;
      if (least === at) return top.schedule;
      [heap[at], heap[least]] = [heap[least], heap[at]];
      at = least;
    }
  }
}

const before = (a, b) => a.value < b.value || (a.value === b.value && a.born < b.born);

const NUMBER = /-?\d+(?:\.\d+)?/g;
const formOf = (line) => line.replaceAll(NUMBER, "#");

/**
 * What makes lines comparable that differ only in times: {masked, hasTimes}. Two runs are compared of which one has a
 * clock that goes on at each reading. Where a line has another number then, it is a time, in all lines of that form,
 * unless the program also prints lines of that form whose numbers are none.
 */
export function timesIn(plainLines, skewedLines) {
  const timesByForm = new Map(); // by the form of a line, which of its numbers are times
  const fixedForms = new Set();
  if (plainLines.length === skewedLines.length)
    for (const [at, line] of plainLines.entries()) {
      const form = formOf(line);
      if (form !== formOf(skewedLines[at])) continue;
      const numbers = [line, skewedLines[at]].map((text) => text.match(NUMBER) ?? []);
      const differing = numbers[0].flatMap((number, index) =>
        number === numbers[1][index] ? [] : [index],
      );
      if (!differing.length) fixedForms.add(form);
      else timesByForm.set(form, new Set([...(timesByForm.get(form) ?? []), ...differing]));
    }
  for (const form of fixedForms) timesByForm.delete(form);
  const maskedLine = (line) => {
    const times = timesByForm.get(formOf(line));
    let index = 0;
    return times ? line.replaceAll(NUMBER, (number) => (times.has(index++) ? "…" : number)) : line;
  };
  const maskedText = (text) => text.split("\n").map(maskedLine).join("\n");
  return { hasTimes: timesByForm.size > 0, masked: (lines) => lines.map(maskedText) };
}
