// What a recorded trace says, without a page: its steps, where every task was at each of them, a sentence for each, and the
// orders in which it printed.

(() => {
  const CHIPS_SHOWN = 8;
  const GC_STEP_US = 1000;
  const WAIT_SAID_US = 300;
  const LONG_RUN_US = 2000;
  const MOST_STATES = 5e7; // events × tasks of a recording that a page can draw; the recorder stops far below

  const PHASES = {
    main: { name: "main program", color: "main" },
    timers: { name: "timers", color: "timers" },
    poll: { name: "poll", color: "poll" },
    check: { name: "check", color: "check" },
    close: { name: "close", color: "close" },
    exit: { name: "at exit", color: "main" },
    task: { name: "V8 task", color: "main" },
  };
  const WAITS = {
    tick: "Its callback joins the tick queue.",
    micro: "Its callback joins the microtask queue.",
    timers: "Its callback waits among the timers.",
    check: "Its callback waits for the check phase.",
    pool: "The work goes to the thread pool.",
    slow: "The work goes to the thread pool.",
    kernel: "The kernel watches it.",
  };

  // ---- A recording as steps, and where every task was at every event ----------------------------------------------

  function field(row, name, columns) {
    return row[columns.indexOf(name)] ?? null;
  }

  /** Index a recording once, so that the state at any step is read off without replaying. */
  function indexRecording(recording, pool) {
    const columns = recording.columns;
    const tasks = recording.tasks;
    const events = recording.events.map((row) => ({
      t: row[0],
      what: row[1],
      task: field(row, "task", columns),
      iteration: field(row, "iteration", columns),
      phase: field(row, "phase", columns),
      line: field(row, "line", columns),
      data: field(row, "data", columns),
      stack: field(row, "stack", columns),
    }));
    const spans = tasks.map(() => []); // per task: { from, to, where, due?, slot? }
    const steps = [];
    const stacks = new Array(events.length);
    const output = [];
    const took = new Map(); // index of a run's event -> microseconds
    let stack = null; // linked: { task, run, up }
    let phase = "main";
    let iteration = 0;

    const open = (task, at, where, more) => {
      leave(task, at);
      spans[task].push({ from: at, to: Infinity, where, ...more });
    };
    const leave = (task, at) => {
      const last = spans[task].at(-1);
      if (last && last.to === Infinity) last.to = at;
    };
    const now = (task) => {
      const last = spans[task].at(-1);
      return last?.to === Infinity ? last.where : null;
    };
    const due = (task, t) => t + (tasks[task].ms ?? 0) * 1000;

    events.forEach((event, at) => {
      const { what: kind, task } = event;
      const facts = task === null ? null : tasks[task];
      let step = true;
      let own = true;
      switch (kind) {
        case "new":
          if (facts.kind === "PROMISE") open(task, at, "pending");
          else open(task, at, facts.lane, { due: due(task, event.t) });
          step = !(facts.kind === "ZLIB" && spans[task].length > 1);
          break;
        case "ready":
          open(task, at, "micro");
          step = events[at - 1]?.what !== "new" || events[at - 1].task !== task;
          // The promise was settled when the program asked for it, so the reader sees one step.
          if (!step) Object.assign(steps.at(-1), { at, settled: true });
          break;
        case "run":
          phase = event.phase ?? phase;
          iteration = event.iteration ?? iteration;
          if (facts.lane !== "main" && !(facts.stays && now(task) === "kernel")) leave(task, at);
          stack = { task, run: at, up: stack };
          own = !facts.internal || runsReadersCode(events, at);
          break;
        case "end":
          if (stack?.task === task) {
            took.set(stack.run, event.t - events[stack.run].t);
            stack = stack.up;
          }
          if (
            facts.stays &&
            facts.lane === "timers" &&
            now(task) === null &&
            !isGone(spans, task, at)
          )
            open(task, at, "timers", { due: due(task, lastRun(events, at, task)) });
          step = facts.lane === "main";
          break;
        case "closing":
          open(task, at, "close");
          break;
        case "gone":
          step = now(task) !== null && now(task) !== "close";
          leave(task, at);
          spans[task].gone = true;
          break;
        case "thread":
          open(task, at, "thread", { slot: event.data });
          step = false;
          break;
        case "done":
          open(task, at, "ready");
          step = false;
          break;
        case "out":
        case "err":
          output.push({ at, text: event.data, error: kind === "err", task, line: event.line });
          break;
        case "gc":
          step = event.data[0] >= GC_STEP_US;
          break;
        case "node":
          phase = event.phase ?? phase;
          iteration = event.iteration ?? iteration;
          own = false;
          break;
        case "exit":
        case "cut":
          stack = null;
          if (kind === "exit") for (let i = 0; i < tasks.length; i++) leave(i, at);
          break;
      }
      stacks[at] = stack;
      if (step) steps.push({ at, own, phase, iteration, event });
    });
    return {
      tasks,
      events,
      spans,
      steps,
      stacks,
      printed: output,
      took,
      pool: pool || 4,
      module: recording.module,
    };
  }

  /** True when a line of the reader did something in the callback that begins at `at`. */
  function runsReadersCode(events, at) {
    let depth = 0;
    for (let i = at + 1; i < events.length; i++) {
      const { what: kind, line } = events[i];
      if (kind === "end") {
        if (depth === 0) return false;
        depth -= 1;
      } else if (kind === "run") depth += 1;
      else if (kind === "out" || kind === "err" || kind === "req" || (kind === "new" && line))
        return true;
    }
    return false;
  }

  /** True when the callback at `at` belongs to Node and starts the next request of the same call. */
  function continues(events, at) {
    const next = events[at + 1];
    return next?.what === "new" && !next.line && !runsReadersCode(events, at);
  }

  const isGone = (spans, task) => spans[task].gone === true;

  function lastRun(events, at, task) {
    for (let i = at; i >= 0; i--)
      if (events[i].what === "run" && events[i].task === task) return events[i].t;
    return 0;
  }

  /** The place of each task after event `at`. */
  function stateAt(model, at) {
    const lanes = {
      tick: [],
      micro: [],
      timers: [],
      check: [],
      kernel: [],
      close: [],
      slots: [],
      queue: [],
      ready: [],
    };
    const working = new Array(model.pool).fill(null);
    const poolEntries = [];
    model.spans.forEach((spans, task) => {
      for (let i = spans.length - 1; i >= 0; i--) {
        const span = spans[i];
        if (span.from > at) continue;
        if (span.to <= at) break;
        const entry = { task, fresh: span.from === at, since: span.from, due: span.due };
        if (span.where === "thread") working[span.slot % model.pool] = { ...entry, seen: true };
        else if (span.where === "pool" || span.where === "slow")
          poolEntries.push({ ...entry, slow: span.where === "slow" });
        else lanes[span.where]?.push(entry);
        break;
      }
    });
    for (const lane of Object.values(lanes)) lane.sort((a, b) => a.since - b.since);
    lanes.timers.sort((a, b) => a.due - b.due);
    // libuv's pool is first in, first out, except that name look-ups may hold only half of it.
    let slow = 0;
    for (const entry of poolEntries.sort((a, b) => a.since - b.since)) {
      const free = working.indexOf(null);
      if (free < 0 || (entry.slow && slow >= Math.ceil(model.pool / 2))) lanes.queue.push(entry);
      else {
        working[free] = entry;
        if (entry.slow) slow += 1;
      }
    }
    lanes.slots = working;
    return lanes;
  }

  /** The tasks whose callbacks are running after event `at`, the innermost first. */
  function stackAt(model, at) {
    const tasks = [];
    for (let entry = model.stacks[at]; entry; entry = entry.up) tasks.push(entry.task);
    return tasks;
  }

  /** The steps at which a box is fullest (of a long trace, a sample of steps), and those with the longest sentences. */
  function fullest(model) {
    const most = new Map(); // box: [its weight, the step]
    const sentences = [];
    const stride = Math.max(1, Math.floor(model.steps.length / 300));
    const note = (box, weight, step) => {
      if (weight > (most.get(box)?.[0] ?? 0)) most.set(box, [weight, step]);
    };
    const room = (task) => {
      const { label, line, lane } = model.tasks[task];
      return 12 + label.length + (line ? 8 : 0) + (lane === "timers" ? 10 : 0);
    };
    for (let i = 0; i < model.steps.length; i += stride) {
      const { at, event } = model.steps[i];
      for (const [box, entries] of Object.entries(stateAt(model, at))) {
        const visible = entries.filter(Boolean).slice(0, CHIPS_SHOWN);
        note(
          box,
          visible.reduce((sum, entry) => sum + room(entry.task), 0),
          i,
        );
        note(`${box} count`, visible.length, i);
      }
      let stack = (event.stack?.length ?? 0) * 24;
      for (const task of stackAt(model, at)) stack += 12 + room(task);
      note("stack", stack, i);
      sentences.push([describe(model, i).length, i]);
    }
    sentences.sort(([a], [b]) => b - a);
    return {
      used: new Set(most.keys()),
      steps: [...new Set([0, ...[...most.values()].map(([, step]) => step)])],
      sentences: sentences.slice(0, 5).map(([, step]) => step),
    };
  }

  const ms = (us) =>
    us >= 10_000
      ? `${Math.round(us / 1000)} ms`
      : us >= 100
        ? `${(us / 1000).toFixed(1)} ms`
        : "< 0.1 ms";
  const clock = (us) => `${(us / 1000).toFixed(1)} ms`;
  const lineOf = (line) => (line ? `line ${line}` : "Node's own");
  const ofLine = (facts) => (facts.line ? `${facts.label} (line ${facts.line})` : facts.label);

  /** The sentence of a step, for screen readers and for the list of all steps. */
  function describe(model, number) {
    const step = model.steps[number];
    const { event } = step;
    const facts = event.task === null ? null : model.tasks[event.task];
    const place = `${PHASES[step.phase].name}, iteration ${step.iteration}`;
    const by = event.line ? `Line ${event.line}` : "Node";
    switch (event.what) {
      case "run": {
        if (facts.lane === "main")
          return model.module === "esm"
            ? "The module's text runs. Node runs it inside a microtask."
            : "The program's text runs, from its first line to its last.";
        const before = model.events[event === model.events[0] ? 0 : step.at - 1];
        const gap = event.t - (before?.t ?? 0);
        const waitText =
          gap >= WAIT_SAID_US && step.phase === "poll" && before?.what !== "gc"
            ? ` The loop had waited ${ms(gap)} in poll.`
            : "";
        if (facts.lane === "tick")
          return `The tick queue is emptied: ${ofLine(facts)} runs. Still ${place}.`;
        if (facts.lane === "micro")
          return `The microtask queue is emptied: ${ofLine(facts)} runs. Still ${place}.`;
        if (continues(model.events, step.at))
          return (
            `${capital(place)}. ${facts.label} of line ${facts.line} is done, and ` +
            `Node's own code takes the next step.${waitText}`
          );
        const took = model.took.get(step.at) ?? 0;
        const long = took >= LONG_RUN_US ? ` It takes ${ms(took)}.` : "";
        const nested = model.stacks[step.at]?.up ? "Inside it: the" : "The";
        const named = facts.fn && !facts.internal ? ` ${facts.fn}` : "";
        return `${capital(place)}. ${nested} callback${named} of ${ofLine(facts)} runs.${waitText}${long}`;
      }
      case "end":
        return model.module === "esm"
          ? "The module's code has run to its end, or is waiting at an await. It ran in a microtask, so the other microtasks come first, then the ticks."
          : "The program's code has run to its end. Next come the ticks, then the microtasks, and " +
              "then the loop begins.";
      case "new":
        if (facts.kind === "PROMISE")
          return step.settled
            ? `${by}: ${facts.label}. The promise is already settled, so the code that waits ` +
                "for it joins the microtask queue."
            : `${by}: ${facts.label}. The code after it waits until the promise is settled.`;
        if (!event.line && facts.line)
          return (
            `For line ${facts.line}, Node continues: ${facts.label}. ` +
            `${WAITS[facts.lane] ?? ""}`
          );
        return `${by}: ${facts.label}. ${WAITS[facts.lane] ?? ""}`;
      case "ready":
        return `A promise is settled, so ${ofLine(facts)} enters the microtask queue.`;
      case "out":
        return `${by} prints: ${event.data}`;
      case "err":
        return `${by} prints to standard error: ${event.data}`;
      case "gone":
        return facts.lane === "timers" || facts.lane === "check"
          ? `${by} clears ${ofLine(facts)}, so it will not run.`
          : `${capital(facts.label)} is gone.`;
      case "closing":
        return `${by} closes the ${facts.label}, whose close callback waits for the close phase.`;
      case "req":
        return `HTTP request number ${event.data[0]} arrives: ${event.data[1]}.`;
      case "gc":
        return `The garbage collector (${event.data[1]}) stops the program for ${ms(event.data[0])}.`;
      case "node":
        return `Node runs ${event.data[0]} tick${event.data[0] > 1 ? "s" : ""} or promise callback${event.data[0] > 1 ? "s" : ""} of its own (${place}).`;
      case "error":
        return `Uncaught error: ${event.data}`;
      case "exit":
        return event.data === 0
          ? "The process exits with code 0, because nothing is left to wait for or because " +
              "the program asked for it."
          : `The process exits with code ${event.data}.`;
      case "cut":
        return event.data === "time"
          ? "The time limit was reached, so the recording ends here."
          : "The recording ends here, but the program continued.";
    }
    return event.what;
  }

  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  // ---- From step to step -----------------------------------------------------------------------------------------

  /** The visible steps, with or without Node's own callbacks, and the moves between them. */
  class Walk {
    constructor({ steps }, all) {
      this.visible = steps.map((_, i) => i).filter((i) => all || steps[i].own);
      this.begins = new Map(); // iteration: its first step
      for (const i of this.visible)
        if (!this.begins.has(steps[i].iteration)) this.begins.set(steps[i].iteration, i);
      this.iterations = [...this.begins.values()];
    }

    get first() {
      return this.visible[0];
    }

    get last() {
      return this.visible.at(-1);
    }

    index(step) {
      return this.visible.indexOf(step);
    }

    nearest(step) {
      return this.visible.findLast((i) => i <= step) ?? this.first;
    }

    /** The step that is `by` visible steps further on; undefined beyond the ends. */
    beside(step, by) {
      return this.visible[this.index(this.nearest(step)) + by];
    }

    /** The first step of the iteration that a step is in. */
    begin(step) {
      return this.iterations.findLast((i) => i <= step) ?? this.iterations[0];
    }

    /** The first step of the next iteration; backwards, first of its own. */
    iteration(step, by) {
      const now = this.iterations.findLastIndex((i) => i <= step);
      const goal = this.iterations[now] === step || by > 0 ? now + by : now;
      return this.iterations[Math.max(0, Math.min(this.iterations.length - 1, goal))];
    }
  }

  /** The lengths of the runs of steps that have one colour. */
  function colorRuns(steps) {
    const runs = [];
    for (const step of steps) {
      const { color } = PHASES[step.phase];
      if (runs.at(-1)?.color === color) runs.at(-1).length += 1;
      else runs.push({ color, length: 1 });
    }
    return runs;
  }

  /** The times at which the main thread was busy, with the colours of the phases. Waiting is left out. */
  function busyTimes({ events, took }) {
    const total = events.at(-1)?.t || 1;
    const bars = [];
    for (const [run, length] of took) {
      const { t, phase } = events[run];
      const { color } = PHASES[phase];
      const last = bars.at(-1);
      // Bars become one bar if the eye could not see the gap.
      if (last && last.color === color && t - last.to < total / 500)
        last.to = Math.max(last.to, t + length);
      else bars.push({ color, from: t, to: t + length });
    }
    return { total, bars };
  }

  function colorOf(facts, phase) {
    if (facts.lane === "pool" || facts.lane === "slow" || facts.lane === "kernel") return "poll";
    if (facts.lane === "other") return phase ? PHASES[phase].color : "poll";
    return facts.lane;
  }

  // ---- All runs of a trace -----------------------------------------------------------------------------------------

  const isTrace = (data) =>
    data?.type === "loop-trace" && data.schema === 1 && Array.isArray(data.versions);

  /** Every recording with its Node, which is version number `v`. */
  const recordingsOf = (data) =>
    data.versions.flatMap((version, v) =>
      version.recordings.map((recording) => ({ version, v, recording })),
    );

  /** Every order that was seen: number `o` of version number `v`. */
  const ordersOf = (data) =>
    data.versions.flatMap(({ node, origin, runs, orders }, v) =>
      orders.map((order, o) => ({ ...order, node, origin, runs, v, o })),
    );

  /** "Node 24.1.0", or the model of it: a trace of the model has schedules where a recorded one has runs. */
  const nodeOf = ({ node, origin }) =>
    `${origin === "model" ? "model of " : ""}Node ${node.replace("v", "")}`;

  function orderOfModel({ orders }, at) {
    if (orders.length === 1) return "the only order";
    return at === 0
      ? `the likeliest of ${orders.length} orders`
      : `order ${at + 1} of ${orders.length}`;
  }

  /** The name of a recorded run: its Node, and how often its order was seen. */
  function runOf({ version, recording }) {
    const { runs, orders, origin } = version;
    if (origin === "model")
      return `${capital(nodeOf(version))} · ${orderOfModel(version, recording.order)}`;
    const orderOfAll = runs > 1 ? `the order of all ${runs} runs` : "one run";
    const oneOfMany = ({ count }) =>
      count > 0
        ? `an order seen in ${count} of ${runs} runs`
        : "an order seen only while recording";
    const orderNote = orders.length > 1 ? oneOfMany(orders[recording.order]) : orderOfAll;
    return `${nodeOf(version)} · ${orderNote}`;
  }

  function notesOf({ version, recording }) {
    const notes = [...version.notes];
    if (recording.verified === false && !notes.some((note) => note.includes("come only from")))
      notes.push("Unverified, because Node's own trace events are missing.");
    return notes;
  }

  /** Throws if a part of a trace is missing or not valid, so that a bad file is refused before anything is drawn. */
  function goThrough(data) {
    if (!isTrace(data)) return; // the caller reports data that are no trace
    if (!(Number.isInteger(data.pool) && data.pool >= 1 && data.pool <= 1024))
      throw new Error("pool");
    for (const { recording } of recordingsOf(data)) {
      if (recording.events.length * recording.tasks.length > MOST_STATES)
        throw new RangeError("long");
      const model = indexRecording(recording, data.pool);
      for (const [i, step] of model.steps.entries()) {
        stateAt(model, step.at);
        describe(model, i);
      }
    }
  }

  globalThis.LoopReplay ??= {};
  LoopReplay.model = {
    ...{ PHASES, CHIPS_SHOWN, ms, clock, lineOf, colorOf },
    ...{ indexRecording, stateAt, stackAt, fullest, describe },
    ...{ Walk, colorRuns, busyTimes },
    ...{ isTrace, recordingsOf, ordersOf, nodeOf, runOf, notesOf, goThrough },
  };
})();
