// <loop-replay>: steps through a recorded trace of Node's event loop. No dependencies; a classic script, so that
// it also runs in pages opened from a file. Data: an inline <script type="application/json"> child as written by
// lab.trace. Attributes: `predict` asks for the order of the output first; `drop` accepts a dropped .trace.json.
(() => {
  const STYLE_URL = document.currentScript?.src?.replace(/replay\.js(\?.*)?$/, "replay.css$1");
  const BASE_STEP_MS = 1200;
  const CHIPS_SHOWN = 8;
  const PREDICT_LINES = [2, 12];
  const GC_STEP_US = 1000;
  const WAIT_SAID_US = 300;
  const LONG_RUN_US = 2000;
  const TOLD_AFTER_MS = 100; // a screen reader has to have seen that it is to listen again
  const REST_MS = 500;

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

  // ---- Model: a recording as steps, and where every task was at every event -------------------------------

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
    const printed = [];
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
      const { what, task } = event;
      const facts = task === null ? null : tasks[task];
      let step = true;
      let own = true;
      switch (what) {
        case "new":
          if (facts.kind === "PROMISE") open(task, at, "pending");
          else open(task, at, facts.lane, { due: due(task, event.t) });
          step = !(facts.kind === "ZLIB" && spans[task].length > 1);
          break;
        case "ready":
          open(task, at, "micro");
          step = events[at - 1]?.what !== "new" || events[at - 1].task !== task;
          // Settled already when it was asked: one step for the reader.
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
          printed.push({ at, text: event.data, error: what === "err", task, line: event.line });
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
          if (what === "exit") for (let i = 0; i < tasks.length; i++) leave(i, at);
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
      printed,
      took,
      pool: pool || 4,
      module: recording.module,
    };
  }

  /** True when the callback beginning at `at` did something a reader's line did. */
  function runsReadersCode(events, at) {
    let depth = 0;
    for (let i = at + 1; i < events.length; i++) {
      const { what, line } = events[i];
      if (what === "end") {
        if (depth === 0) return false;
        depth -= 1;
      } else if (what === "run") depth += 1;
      else if (what === "out" || what === "err" || what === "req" || (what === "new" && line))
        return true;
    }
    return false;
  }

  /** True when the callback at `at` is Node's own and hands on to a next request of the same call. */
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

  /** Where everything is once event `at` has happened. */
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
    const given = [];
    model.spans.forEach((spans, task) => {
      for (let i = spans.length - 1; i >= 0; i--) {
        const span = spans[i];
        if (span.from > at) continue;
        if (span.to <= at) break;
        const entry = { task, fresh: span.from === at, since: span.from, due: span.due };
        if (span.where === "thread") working[span.slot % model.pool] = { ...entry, seen: true };
        else if (span.where === "pool" || span.where === "slow")
          given.push({ ...entry, slow: span.where === "slow" });
        else lanes[span.where]?.push(entry);
        break;
      }
    });
    for (const lane of Object.values(lanes)) lane.sort((a, b) => a.since - b.since);
    lanes.timers.sort((a, b) => a.due - b.due);
    // libuv's pool is first in, first out, except that name look-ups may hold only half of it.
    let slow = 0;
    for (const entry of given.sort((a, b) => a.since - b.since)) {
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

  /** The steps at which some box holds most, of a long trace a sample, and the longest sentences. */
  function fullest(model) {
    const most = new Map(); // box: [its weight, the step]
    const told = [];
    const every = Math.max(1, Math.floor(model.steps.length / 300));
    const note = (box, weight, step) => {
      if (weight > (most.get(box)?.[0] ?? 0)) most.set(box, [weight, step]);
    };
    const room = ({ task }) => {
      const { label, line, lane } = model.tasks[task];
      return 12 + label.length + (line ? 8 : 0) + (lane === "timers" ? 10 : 0);
    };
    for (let i = 0; i < model.steps.length; i += every) {
      const { at, event } = model.steps[i];
      for (const [box, entries] of Object.entries(stateAt(model, at))) {
        const there = entries.filter(Boolean).slice(0, CHIPS_SHOWN);
        note(
          box,
          there.reduce((sum, entry) => sum + room(entry), 0),
          i,
        );
        note(`${box} count`, there.length, i);
      }
      let stack = (event.stack?.length ?? 0) * 24;
      for (let entry = model.stacks[at]; entry; entry = entry.up) stack += 12 + room(entry);
      note("stack", stack, i);
      told.push([describe(model, i).length, i]);
    }
    told.sort(([a], [b]) => b - a);
    return {
      used: new Set(most.keys()),
      steps: [...new Set([0, ...[...most.values()].map(([, step]) => step)])],
      sentences: told.slice(0, 5).map(([, step]) => step),
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

  /** One sentence for a step: what a screen reader says and the text list shows. */
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
        const waited =
          gap >= WAIT_SAID_US && step.phase === "poll" && before?.what !== "gc"
            ? ` The loop had waited ${ms(gap)} in poll.`
            : "";
        if (facts.lane === "tick")
          return `The tick queue is emptied: ${ofLine(facts)} runs. Still ${place}.`;
        if (facts.lane === "micro")
          return `The microtask queue is emptied: ${ofLine(facts)} runs. Still ${place}.`;
        if (continues(model.events, step.at))
          return `${capital(place)}. ${facts.label} of line ${facts.line} is done; Node's own code takes the next step.${waited}`;
        const took = model.took.get(step.at) ?? 0;
        const long = took >= LONG_RUN_US ? ` It takes ${ms(took)}.` : "";
        const nested = model.stacks[step.at]?.up ? "Inside it: the" : "The";
        const named = facts.fn && !facts.internal ? ` ${facts.fn}` : "";
        return `${capital(place)}. ${nested} callback${named} of ${ofLine(facts)} runs.${waited}${long}`;
      }
      case "end":
        return model.module === "esm"
          ? "The module's text has ended, or waits at an await. It ran in a microtask, so the other microtasks come first, then the ticks."
          : "The program's text has ended. Now the ticks, then the microtasks; then the loop begins.";
      case "new":
        if (facts.kind === "PROMISE")
          return step.settled
            ? `${by}: ${facts.label}. The promise is settled already: what follows joins the microtask queue.`
            : `${by}: ${facts.label}. What follows waits until the promise is settled.`;
        if (!event.line && facts.line)
          return `For line ${facts.line}, Node goes on: ${facts.label}. ${WAITS[facts.lane] ?? ""}`;
        return `${by}: ${facts.label}. ${WAITS[facts.lane] ?? ""}`;
      case "ready":
        return `A promise is settled: ${ofLine(facts)} enters the microtask queue.`;
      case "out":
        return `${by} prints: ${event.data}`;
      case "err":
        return `${by} prints to standard error: ${event.data}`;
      case "gone":
        return facts.lane === "timers" || facts.lane === "check"
          ? `${by} clears ${ofLine(facts)}: it will not run.`
          : `${capital(facts.label)} is gone.`;
      case "closing":
        return `${by} closes the ${facts.label}: its close callback waits for the close phase.`;
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
          ? "Nothing is left to wait for, or the program said so: the process exits with code 0."
          : `The process exits with code ${event.data}.`;
      case "cut":
        return event.data === "time"
          ? "The time limit was reached: the recording ends here."
          : "The recording ends here; the program went on.";
    }
    return event.what;
  }

  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  // ---- Prediction --------------------------------------------------------------------------------------------

  /** The lines to put in order, or null when the program is no fit: too few or too many lines, or all alike. */
  function predictionItems(data) {
    const first = data.versions[0]?.orders[0]?.lines ?? [];
    if (first.length < PREDICT_LINES[0] || first.length > PREDICT_LINES[1]) return null;
    if (new Set(first).size < 2) return null;
    const printed = data.versions[0].recordings[0]?.events ?? [];
    const items = first.map((text, i) => {
      const row = printed.find((event) => event[1] === "out" && event[6] === text);
      return { text, line: row?.[5] ?? null, i };
    });
    items.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || a.i - b.i);
    const orders = allOrders(data);
    // As written is a guess many make; never start with an order that is already right.
    for (
      let turn = 0;
      turn < items.length && orders.some((o) => same(o.lines, texts(items)));
      turn++
    )
      items.push(items.shift());
    return items;
  }

  const texts = (items) => items.map((item) => item.text);
  const same = (a, b) => a.length === b.length && a.every((text, i) => text === b[i]);
  const allOrders = (data) =>
    data.versions.flatMap((version, v) =>
      version.orders.map((order, o) => ({
        ...order,
        node: version.node,
        runs: version.runs,
        v,
        o,
      })),
    );

  function commonPrefix(a, b) {
    let n = 0;
    while (n < a.length && n < b.length && a[n] === b[n]) n += 1;
    return n;
  }

  /** Judge a prediction: { right, good, order }: how many lines are right, against the nearest observed order. */
  function judge(data, lines) {
    let best = null;
    for (const order of allOrders(data)) {
      const good = commonPrefix(lines, order.lines);
      if (!best || good > best.good) best = { good, order };
    }
    return { ...best, right: best.good === best.order.lines.length && best.good === lines.length };
  }

  const storage = {
    read(key) {
      try {
        return JSON.parse(localStorage.getItem(key));
      } catch {
        return null; // no storage here (a file page, a private window): the answer lives as long as the page
      }
    },
    write(key, value) {
      try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(value));
      } catch {}
    },
  };

  function hash(text) {
    let h = 5381;
    for (let i = 0; i < text.length; i++) h = ((h * 33) ^ text.charCodeAt(i)) >>> 0;
    return h.toString(36);
  }

  globalThis.LoopReplayModel = { indexRecording, stateAt, describe, predictionItems, judge };
  if (typeof customElements === "undefined" || customElements.get("loop-replay")) return;

  // ---- View ------------------------------------------------------------------------------------------------

  /** el("p", { class: "x", onclick }, "text", child) */
  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined)
        node.setAttribute(name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  const ICONS = {
    first: "M6 5v14M19 5l-9 7 9 7z",
    back: "M16 5l-9 7 9 7z",
    play: "M7 4l13 8-13 8z",
    pause: "M7 5v14M17 5v14",
    next: "M8 5l9 7-9 7z",
    last: "M18 5v14M5 5l9 7-9 7z",
    up: "M5 15l7-7 7 7",
    down: "M5 9l7 7 7-7",
    grip: "M9 5h0M15 5h0M9 12h0M15 12h0M9 19h0M15 19h0",
  };

  function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 24 24");
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(svg.namespaceURI, "path");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  }

  /** The title of a button with a picture is its name and its tooltip; an aria-label beside it would be said twice. */
  const button = (label, name, onclick, text) =>
    el(
      "button",
      {
        type: "button",
        title: label === text ? null : label,
        onclick,
        class: text ? "text" : "icon",
      },
      name ? icon(name) : null,
      text ?? null,
    );

  /** A button at an end keeps the focus, which a disabled one would lose; pressed, it says that this is the end. */
  const setOff = (one, off) => one.setAttribute("aria-disabled", String(off));

  /** A list: Safari takes one without bullets for none unless it is told. */
  const list = (tag, attributes, ...items) => el(tag, { role: "list", ...attributes }, ...items);
  const hidden = (text) => el("span", { class: "vh" }, text);
  /** A remark beside a name; for the ear, a comma is between them. */
  const aside = (kind, text) => el("span", { class: kind }, hidden(", "), text);

  /** Call back once, as soon as an element is this far from what is in sight. */
  function whenNear(element, far, then) {
    const watch = new IntersectionObserver(
      (seen) => {
        if (!seen.some((one) => one.isIntersecting)) return;
        watch.disconnect();
        then();
      },
      { rootMargin: far },
    );
    watch.observe(element);
    return watch;
  }

  let count = 0;

  class LoopReplay extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return this.watch(); // it was away
      if (this.begin) return this.nearing.observe(this);
      const script = () => this.querySelector(':scope > script[type="application/json"]');
      if (script() || this.hasAttribute("drop")) {
        if (script() || document.readyState !== "loading") return this.start(script());
      }
      // The parser has met our start tag but not our children yet.
      const watch = new MutationObserver(() => {
        const found = script();
        // A script still being parsed has no end: the parser goes on to the next node, or to the end, first.
        if (!found || (document.readyState === "loading" && !found.nextSibling)) return;
        watch.disconnect();
        this.start(found);
      });
      watch.observe(this, { childList: true, subtree: true });
      const parsed = () => {
        watch.disconnect();
        if (!this.shadowRoot && (script() || this.hasAttribute("drop"))) this.start(script());
      };
      document.addEventListener("DOMContentLoaded", parsed, { once: true });
    }

    disconnectedCallback() {
      if (this.model) this.pause();
      this.parts?.say.setAttribute("aria-live", "polite");
      for (const timer of [this.telling, this.resting]) clearTimeout(timer);
      this.away?.abort();
      this.watching?.disconnect();
      this.nearing?.disconnect();
    }

    /** What it listens to outside itself, until it is taken off the page. */
    watch() {
      if (!this.shadowRoot) return;
      this.away?.abort();
      this.away = new AbortController();
      watchTheme(this, this.away.signal);
      if (this.parts) this.watchSize();
    }

    watchSize() {
      this.watching?.disconnect();
      this.watching = new ResizeObserver(() => this.reserve());
      this.watching.observe(this.parts.replay);
      this.nearing?.disconnect();
      // Every step is laid out for it: half a second that a page need not take while it opens.
      this.nearing = whenNear(this, "400px", () => {
        this.near = true;
        this.reserve(true);
      });
    }

    start(script) {
      if (this.shadowRoot || this.begin) return;
      this.number = ++count;
      if (document.documentElement.dataset.opening === undefined) return this.show(script);
      // The page has other things to do first: it begins this one when there is time, or it is nearly in sight.
      this.nearing = whenNear(this, "100%", () => this.begin());
      this.begin = () => {
        this.nearing.disconnect();
        if (!this.shadowRoot) this.show(script);
      };
    }

    show(script) {
      this.attachShadow({ mode: "open" });
      if (globalThis.LOOP_REPLAY_CSS)
        this.shadowRoot.append(el("style", {}, globalThis.LOOP_REPLAY_CSS));
      else if (STYLE_URL)
        this.shadowRoot.append(
          el("link", { rel: "stylesheet", href: STYLE_URL, onload: () => this.reserve(true) }),
        );
      document.fonts?.ready.then(() => this.reserve(true));
      this.root = el("section", { class: "lr", "aria-label": "Replay of an event loop" });
      // On paper there is what pages without JavaScript show: the table of steps, and the orders seen.
      this.shadowRoot.append(el("div", { class: "printed" }, el("slot")), this.root);
      this.watch();
      this.addEventListener("keydown", (event) => this.key(event));
      if (this.hasAttribute("drop")) this.acceptFiles();
      let data = null;
      try {
        data = script ? JSON.parse(script.textContent) : null;
      } catch {
        return this.complain("The trace in this page cannot be read.");
      }
      if (data) this.load(data);
      else this.root.append(this.dropHint());
    }

    /** Show a trace: the content of a .trace.json file. */
    load(data) {
      if (data?.type !== "loop-trace" || data.schema !== 1 || !Array.isArray(data.versions))
        return this.complain("This file is no loop trace. Make one with: npm run trace my.js");
      this.pause();
      this.data = data;
      this.recordings = data.versions.flatMap((version, v) =>
        version.recordings.map((recording) => ({ version, v, recording })),
      );
      this.root.replaceChildren();
      // Several replays on a page must differ in name, or a screen reader cannot tell them apart.
      this.root.setAttribute("aria-label", `Replay ${this.number}: ${data.name}`);
      if (this.recordings.length === 0) {
        if (this.hasAttribute("drop")) this.root.append(this.dropHint());
        return this.complain("Nothing was recorded in this trace.");
      }
      this.build();
      this.select(0);
      this.items = this.hasAttribute("predict") ? predictionItems(data) : null;
      this.key_ = `loop-replay:${hash(`${data.name}\n${data.source}`)}`;
      const kept = this.items ? storage.read(this.key_) : null;
      if (
        this.items &&
        kept &&
        Array.isArray(kept.order) &&
        same([...kept.order].sort(), texts(this.items).sort())
      )
        this.judged(kept.order);
      else if (this.items) this.ask();
    }

    complain(message) {
      this.root.querySelector(".complaint")?.remove();
      this.root.prepend(el("p", { class: "complaint", role: "alert" }, message));
    }

    // -- building the parts that stay ---------------------------------------------------------------------------

    build() {
      const { data } = this;
      this.showNode = false;
      this.speed = 1;
      this.parts = {};
      const p = this.parts;
      p.which = el("select", {
        "aria-label": "Recorded run",
        onchange: () => this.select(+p.which.value),
      });
      this.recordings.forEach(({ version, recording }, i) => {
        const order = version.orders[recording.order];
        const seen =
          version.orders.length > 1
            ? ` · ${order.count > 0 ? `an order seen in ${order.count} of ${version.runs} runs` : "an order seen only while recording"}`
            : ` · ${version.runs > 1 ? `the order of all ${version.runs} runs` : "one run"}`;
        p.which.append(el("option", { value: i }, `Node ${version.node.replace("v", "")}${seen}`));
      });
      p.chosen =
        this.recordings.length === 1
          ? el("span", { class: "which" }, p.which.textContent)
          : p.which;
      p.head = el(
        "header",
        {},
        el("span", { class: "name" }, data.name),
        aside("kind", data.module === "esm" ? "ES module" : "CommonJS"),
        p.chosen,
      );
      p.predict = el("div", { class: "predict", hidden: true });
      p.replay = el("div", { class: "replay" });
      p.say = el("p", { class: "say", "aria-live": "polite", "aria-atomic": "true" });
      p.notes = el("ul", { class: "notes" });
      p.replay.append(
        el(
          "div",
          { class: "stage" },
          el("div", { class: "left" }, this.code(), this.console()),
          this.loop(),
        ),
        el("div", { class: "bar" }, p.say, this.controls()),
        p.options,
        this.list(),
        p.notes,
        el("slot", { name: "orders" }),
      );
      this.root.append(p.head, p.predict, p.replay);
      this.watchSize();
      if (this.hasAttribute("drop")) this.root.append(this.dropHint());
    }

    controls() {
      const p = this.parts;
      p.play = button("Play", "play", () => this.toggle());
      p.range = el("input", {
        type: "range",
        min: 0,
        value: 0,
        "aria-label": "Step",
        oninput: () => this.slide(this.visible[+p.range.value]),
      });
      p.strip = el("div", { class: "strip", "aria-hidden": "true" });
      p.cursor = el("span", { class: "cursor" });
      p.time = el("div", { class: "time", "aria-hidden": "true" });
      p.span = el("span");
      p.where = el("span", { class: "where" });
      const scale = el("p", { class: "scale" }, p.span, p.where);
      p.speed = el(
        "select",
        { "aria-label": "Speed", onchange: () => this.setSpeed(+p.speed.value) },
        ...[0.5, 1, 2, 4].map((x) => el("option", { value: x, selected: x === 1 }, `${x}×`)),
      );
      p.iteration = el("select", {
        "aria-label": "Go to iteration",
        onchange: () => this.go(+p.iteration.value),
      });
      p.node = el("input", { type: "checkbox", onchange: () => this.setNode(p.node.checked) });
      p.first = button("First step", "first", () => this.go(this.visible[0]));
      p.back = button("Step back", "back", () => this.move(-1) || this.tell());
      p.next = button("Step", "next", () => this.move(1) || this.tell());
      p.last = button("Last step", "last", () => this.go(this.visible.at(-1)));
      p.options = el(
        "div",
        { class: "options", role: "group", "aria-label": "Options" },
        el("label", {}, "iteration ", p.iteration),
        el("label", {}, "speed ", p.speed),
        el("label", { class: "check" }, p.node, " Node's own callbacks"),
      );
      return el(
        "div",
        { class: "controls", role: "group", "aria-label": "Playback" },
        el("div", { class: "buttons" }, p.first, p.back, p.play, p.next, p.last),
        el("div", { class: "track" }, p.strip, p.range, p.time, scale),
      );
    }

    code() {
      const p = this.parts;
      p.lines = this.data.source
        .replace(/\n$/, "")
        .split("\n")
        .map((text) => el("li", {}, el("code", {}, text || " ")));
      p.code = list(
        "ol",
        { class: "code", tabindex: 0, "aria-label": `Source of ${this.data.name}` },
        ...p.lines,
      );
      return el("div", { class: "box source" }, heading("program", "main"), p.code);
    }

    console() {
      const p = this.parts;
      p.console = list("ol", { class: "console", tabindex: 0, "aria-label": "Console" });
      return el("div", { class: "box" }, heading("console", "main"), p.console);
    }

    loop() {
      const p = this.parts;
      p.lanes = {};
      const chips = (name, title) => {
        title.id = `title-${name}`;
        p.lanes[name] = list("ul", { class: "chips", "aria-labelledby": title.id });
        return [title, p.lanes[name]];
      };
      const lane = (name, title, color, note) =>
        el(
          "div",
          { class: `box lane ${name}`, "data-color": color },
          ...chips(name, heading(title, color, note)),
        );
      const sub = (kind, text) => el("p", { class: `sub ${kind}` }, text);
      p.ring = ring();
      p.running = list("ol", { class: "running", "aria-label": "Call stack" });
      p.slots = list("ol", { class: "slots", "aria-label": "Threads of the pool" });
      const poll = el(
        "div",
        { class: "box lane poll", "data-color": "poll" },
        heading("poll", "poll"),
        el(
          "div",
          { class: "two" },
          el("div", {}, ...chips("kernel", sub("kernel", "kernel watches"))),
          el(
            "div",
            {},
            sub("pool", "thread pool"),
            p.slots,
            ...chips("queue", sub("queue", "waiting for a thread")),
            ...chips("ready", sub("ready", "done, callback to come")),
          ),
        ),
      );
      return el(
        "div",
        { class: "right" },
        el(
          "div",
          { class: "top" },
          p.ring,
          el("div", { class: "box now" }, heading("call stack", "main"), p.running),
        ),
        el(
          "div",
          { class: "lanes" },
          lane("tick", "tick queue", "tick"),
          lane("micro", "microtask queue", "micro"),
          lane("timers", "timers", "timers", "by due time"),
          poll,
          lane("check", "check", "check", "setImmediate"),
          lane("close", "close", "close"),
        ),
      );
    }

    list() {
      const p = this.parts;
      p.steps = list("ol", {
        class: "steps",
        "aria-label": "All steps",
        onfocusin: ({ target }) => this.stop(target),
      });
      p.details = el(
        "details",
        { class: "all", ontoggle: () => this.fillList() },
        el("summary", {}, "All steps as text"),
        p.steps,
      );
      const keys = el(
        "details",
        { class: "keys" },
        el("summary", {}, "Keys"),
        el(
          "p",
          {},
          "← → one step · PageUp PageDown one iteration · Home End first and last step · Space plays and pauses. They work while the focus is inside the replay. In the list of all steps, ↑ ↓ lead from one to the next and Enter goes there.",
        ),
      );
      return el("div", { class: "more" }, p.details, keys);
    }

    // -- choosing ------------------------------------------------------------------------------------------------

    select(number) {
      this.pause();
      const { version, recording } = this.recordings[number];
      this.current = number;
      this.model = indexRecording(recording, this.data.pool);
      const p = this.parts;
      p.which.value = number;
      const notes = [...version.notes];
      if (recording.verified === false && !notes.some((note) => note.includes("word alone")))
        notes.push("Unverified: Node's own trace events are missing.");
      p.notes.replaceChildren(...notes.map((note) => el("li", {}, note)));
      p.notes.hidden = notes.length === 0;
      p.console.replaceChildren(
        ...this.model.printed.map(({ text, error }) =>
          el("li", { class: error ? "error" : null, hidden: true }, text),
        ),
      );
      p.time.replaceChildren(...busyTimes(this.model), p.cursor);
      p.span.textContent = `main thread, ${ms(this.model.events.at(-1).t)}`;
      this.fullest = null;
      this.setNode(this.showNode);
      this.go(this.visible[0]);
      this.reserve(true);
    }

    /** Give every box the height it will need, so that no button runs away while stepping. */
    reserve(anew = false) {
      const p = this.parts;
      if (!this.model || !this.near) return;
      const width = p.replay.clientWidth;
      if (!width) return; // not shown yet
      if (width === this.width && !anew) return; // nothing is wrapped otherwise
      this.width = width;
      const { model } = this;
      this.fullest ??= fullest(model);
      for (const name of ["queue", "ready"]) {
        const { [name]: lane } = p.lanes;
        lane.hidden = lane.previousElementSibling.hidden = !this.fullest.used.has(name);
      }
      const boxes = [...Object.values(p.lanes), p.slots, p.running];
      for (const box of [...boxes, p.say, p.console]) box.style.minHeight = "";
      const most = boxes.map(() => 0);
      for (const i of this.fullest.steps) {
        this.showStack(model.steps[i]);
        this.showLanes(model.steps[i]);
        boxes.forEach((box, k) => {
          most[k] = Math.max(most[k], box.getBoundingClientRect().height);
        });
      }
      for (const item of p.console.children) item.hidden = false;
      const printed = p.console.getBoundingClientRect().height;
      // A sentence that is tried is not said.
      const trial = el("p", { class: "say", "aria-hidden": "true" });
      p.say.after(trial);
      let tallest = 0;
      for (const i of this.fullest.sentences) {
        trial.textContent = describe(model, i);
        tallest = Math.max(tallest, trial.getBoundingClientRect().height);
      }
      trial.remove();
      boxes.forEach((box, k) => {
        box.style.minHeight = `${Math.ceil(most[k])}px`;
      });
      p.console.style.minHeight = `${Math.ceil(printed)}px`;
      p.say.style.minHeight = `${Math.ceil(tallest)}px`;
      this.draw();
    }

    setNode(on) {
      this.showNode = on;
      const { steps } = this.model;
      this.visible = steps.map((_, i) => i).filter((i) => on || steps[i].own);
      const p = this.parts;
      p.node.checked = on;
      p.range.max = this.visible.length - 1;
      const first = new Map();
      for (const i of this.visible)
        if (!first.has(steps[i].iteration)) first.set(steps[i].iteration, i);
      p.iteration.replaceChildren(
        ...[...first].map(([iteration, i]) => el("option", { value: i }, String(iteration))),
      );
      this.iterations = [...first.values()];
      p.strip.replaceChildren(...strips(this.visible.map((i) => steps[i])));
      p.steps.replaceChildren();
      if (p.details.open) this.fillList();
      if (this.at !== undefined) this.go(this.nearest(this.at));
    }

    nearest(step) {
      return this.visible.findLast((i) => i <= step) ?? this.visible[0];
    }

    fillList() {
      const p = this.parts;
      if (!p.details.open) return;
      if (p.steps.childElementCount > 0) return this.markList(); // it was closed while the steps went on
      this.visible.forEach((i, k) => {
        const { phase, event } = this.model.steps[i];
        p.steps.append(
          el(
            "li",
            { "data-color": PHASES[phase].color },
            el(
              "button",
              { type: "button", class: "link", tabindex: -1, onclick: () => this.go(i) },
              el("span", { class: "ln" }, `${k + 1}. `),
              describe(this.model, i),
              aside("ln", clock(event.t)),
            ),
          ),
        );
      });
      this.markList();
    }

    markList() {
      const p = this.parts;
      p.steps.querySelector("[aria-current]")?.removeAttribute("aria-current");
      const current = p.steps.children[this.visible.indexOf(this.at)]?.firstChild;
      current?.setAttribute("aria-current", "step");
      if (current && !p.steps.contains(this.shadowRoot.activeElement)) this.stop(current);
    }

    /** The one step of the list at which Tab stops. */
    stop(step) {
      this.parts.steps.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
      step.setAttribute("tabindex", "0");
    }

    // -- moving --------------------------------------------------------------------------------------------------

    move(by) {
      const index = this.visible.indexOf(this.nearest(this.at)) + by;
      if (index < 0 || index >= this.visible.length) return false;
      this.go(this.visible[index]);
      return true;
    }

    toggle() {
      if (this.timer) return this.pause();
      if (this.at === this.visible.at(-1)) this.go(this.visible[0]);
      const p = this.parts;
      for (const timer of [this.telling, this.resting]) clearTimeout(timer);
      p.play.replaceChildren(icon("pause"));
      p.play.title = "Pause";
      p.say.setAttribute("aria-live", "off"); // a sentence a second would drown the reader
      const tick = () => {
        this.timer = setTimeout(() => {
          this.move(1);
          if (this.at !== this.visible.at(-1)) return tick();
          // The last step is still shown in silence; then the end is said, once.
          this.timer = setTimeout(() => this.pause(), TOLD_AFTER_MS);
        }, BASE_STEP_MS / this.speed);
      };
      tick();
    }

    pause() {
      if (!this.timer) return;
      clearTimeout(this.timer);
      this.timer = null;
      const p = this.parts;
      p.play.replaceChildren(icon("play"));
      p.play.title = "Play";
      this.speak(this.at === this.visible.at(-1) ? "The end, " : "Paused at ");
    }

    /** What changed while nothing was said is not said now: it has to change once more. */
    speak(first) {
      this.parts.say.setAttribute("aria-live", "polite");
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.tell(first), TOLD_AFTER_MS);
    }

    /** The slider says where it is; the sentence of the step is said when it rests. */
    slide(step) {
      this.parts.say.setAttribute("aria-live", "off");
      this.go(step);
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.timer || this.speak(""), REST_MS);
    }

    /** The sentence of this step, and for the ear where it is among all. */
    tell(first = "") {
      const place = `${this.visible.indexOf(this.at) + 1} of ${this.visible.length}. `;
      this.parts.say.replaceChildren(hidden(first + place), describe(this.model, this.at));
    }

    setSpeed(speed) {
      this.speed = speed;
      if (this.timer) {
        this.pause();
        this.toggle();
      }
    }

    key(event) {
      if (!this.model || this.parts.replay.hidden || event.ctrlKey || event.metaKey || event.altKey)
        return;
      const target = event.composedPath()[0];
      const tag = target.localName;
      if (
        tag === "select" ||
        (tag === "input" &&
          target.type === "range" &&
          !["PageUp", "PageDown", " "].includes(event.key))
      )
        return;
      if (target.closest?.(".predict")) return;
      const beside = (way) => target.closest?.(".steps li")?.[way]?.firstChild.focus();
      const iteration = (by) => {
        const before = this.iterations.findLastIndex((i) => i <= this.at);
        const start = this.iterations[before] === this.at || by > 0 ? before + by : before;
        const goal = this.iterations[Math.max(0, Math.min(this.iterations.length - 1, start))];
        this.go(goal);
      };
      const actions = {
        ArrowRight: () => this.move(1),
        ArrowLeft: () => this.move(-1),
        Home: () => this.go(this.visible[0]),
        End: () => this.go(this.visible.at(-1)),
        PageDown: () => iteration(1),
        PageUp: () => iteration(-1),
        " ": () => this.toggle(),
        ...(target.closest?.(".steps li") && {
          ArrowDown: () => beside("nextSibling"),
          ArrowUp: () => beside("previousSibling"),
        }),
      };
      // Space presses the button that has the focus, and ticks the box.
      if (event.key === " " && ["button", "summary"].includes(tag)) return;
      if (event.key === " " && ["checkbox", "file"].includes(target.type)) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }

    /** Show step number `step` of the recording. */
    go(step) {
      this.at = step;
      clearTimeout(this.telling);
      this.tell();
      this.draw();
    }

    draw() {
      const { model, parts: p, at: step } = this;
      const now = model.steps[step];
      const index = this.visible.indexOf(step);
      p.range.value = index;
      p.range.setAttribute("aria-valuetext", `Step ${index + 1} of ${this.visible.length}`);
      for (const one of [p.back, p.first]) setOff(one, index <= 0);
      for (const one of [p.next, p.last]) setOff(one, index >= this.visible.length - 1);
      p.where.textContent = `step ${index + 1} of ${this.visible.length} · ${clock(now.event.t)}`;
      p.cursor.style.left = `${(100 * now.event.t) / (model.events.at(-1).t || 1)}%`;
      p.iteration.value = this.iterations.findLast((i) => i <= step) ?? this.iterations[0];
      this.showStack(now);
      this.showLanes(now);
      this.showConsole(now);
      if (p.details.open) this.markList();
    }

    showStack(now) {
      const { model, parts: p } = this;
      const stack = [];
      for (let entry = model.stacks[now.at]; entry; entry = entry.up) stack.push(entry.task);
      const rows = [];
      const color = (task) => colorOf(model.tasks[task], now.phase);
      for (const [name, line] of now.event.stack ?? [])
        rows.push(el("li", { class: "frame" }, el("code", {}, `${name}()`), ` line ${line}`));
      for (const task of stack) {
        const facts = model.tasks[task];
        const what =
          facts.lane === "main" ? "program text" : `callback of ${unbroken(facts.label)}`;
        rows.push(
          el(
            "li",
            { "data-color": color(task) },
            what,
            facts.line ? aside("ln", lineOf(facts.line)) : null,
            facts.req ? aside("ln", `request ${facts.req}`) : null,
          ),
        );
      }
      if (rows.length === 0)
        rows.push(
          el(
            "li",
            { class: "empty" },
            now.event.what === "exit" ? "the process has ended" : "empty",
          ),
        );
      p.running.replaceChildren(...rows);
      const top = stack.length > 0 ? model.tasks[stack[0]] : null;
      const line = now.event.line ?? null;
      const frames = new Set((now.event.stack ?? []).slice(1).map(([, at]) => at));
      p.lines.forEach((item, i) => {
        item.classList.toggle("on", line === i + 1);
        item.classList.toggle("caller", frames.has(i + 1) && line !== i + 1);
        if (line === i + 1) item.setAttribute("aria-current", "true");
        else item.removeAttribute("aria-current");
      });
      const shown = p.lines[(line ?? 0) - 1];
      if (shown) {
        const top = shown.offsetTop; // .code is what it is positioned by
        if (
          top < p.code.scrollTop ||
          top + shown.offsetHeight > p.code.scrollTop + p.code.clientHeight
        )
          p.code.scrollTop = top - p.code.clientHeight / 3;
      }
      const outermost = stack.length > 0 ? model.tasks[stack.at(-1)] : null;
      showRing(
        p.ring,
        now,
        outermost && ["tick", "micro"].includes(outermost.lane) ? outermost.lane : null,
        top !== null,
      );
    }

    showLanes(now) {
      const { model, parts: p } = this;
      const lanes = stateAt(model, now.at);
      const running = new Set();
      for (let entry = model.stacks[now.at]; entry; entry = entry.up) running.add(entry.task);
      const chip = (entry) => {
        const facts = model.tasks[entry.task];
        const due =
          entry.due !== undefined && facts.lane === "timers"
            ? aside("ln", dueIn(entry.due - now.event.t))
            : null;
        return el(
          "li",
          {
            class: `chip${entry.fresh ? " fresh" : ""}${running.has(entry.task) ? " running" : ""}`,
            "data-color": colorOf(facts),
          },
          unbroken(facts.label),
          facts.line ? aside("ln", lineOf(facts.line)) : null,
          due,
        );
      };
      for (const [name, list] of Object.entries(p.lanes)) {
        const entries = lanes[name];
        const chips = entries.slice(0, CHIPS_SHOWN).map(chip);
        if (entries.length > CHIPS_SHOWN)
          chips.push(el("li", { class: "rest" }, `and ${entries.length - CHIPS_SHOWN} more`));
        if (chips.length === 0) chips.push(el("li", { class: "vh" }, "empty"));
        list.replaceChildren(...chips);
      }
      p.slots.replaceChildren(
        ...lanes.slots.map((entry) => {
          if (!entry) return el("li", { class: "slot" }, hidden("free"));
          const item = chip(entry);
          item.classList.add("slot");
          if (!entry.seen) {
            item.classList.add("assumed");
            item.title =
              "From request to callback. The queue is first in, first out; the thread itself is not recorded.";
          }
          return item;
        }),
      );
      for (const box of this.root.querySelectorAll(".lane")) {
        const color = box.dataset.color;
        const top = model.stacks[now.at] ? model.tasks[model.stacks[now.at].task] : null;
        const active =
          top &&
          (top.lane === color || (color === now.phase && !["tick", "micro"].includes(top.lane)));
        box.classList.toggle("active", Boolean(active) && now.event.what !== "exit");
      }
    }

    showConsole(now) {
      const { model, parts: p } = this;
      let last = null;
      model.printed.forEach(({ at }, i) => {
        const item = p.console.children[i];
        item.hidden = at > now.at;
        item.classList.toggle("fresh", at === now.at);
        if (at <= now.at) last = item;
      });
      if (last)
        p.console.scrollTop =
          last.offsetTop - p.console.offsetTop - p.console.clientHeight + last.offsetHeight + 4;
    }

    // -- predict first -------------------------------------------------------------------------------------------

    ask(order = this.items) {
      const p = this.parts;
      this.pause();
      p.replay.hidden = true;
      p.predict.hidden = false;
      p.chosen.hidden = true; // it tells how often an order was seen
      this.order = [...order];
      p.picks = list("ol", { class: "picks", "aria-label": "Your order" });
      p.moved = el("p", { class: "vh", role: "status" });
      p.predict.replaceChildren(
        el(
          "p",
          { class: "question" },
          "Predict first: in which order does this program print its lines? Drag them, or use the arrows.",
        ),
        el("div", { class: "stage" }, this.sourceCopy(), el("div", {}, p.picks, p.moved)),
        el(
          "p",
          { class: "actions" },
          button("Check", null, () => this.check(), "Check"),
          button(
            "Show the replay without a prediction",
            null,
            () => this.skip(),
            "Show the replay",
          ),
        ),
      );
      this.drawPicks();
    }

    sourceCopy() {
      const lines = this.data.source.replace(/\n$/, "").split("\n");
      return el(
        "div",
        { class: "box source" },
        heading("program", "main"),
        list(
          "ol",
          { class: "code", tabindex: 0, "aria-label": "Source to predict" },
          ...lines.map((text) => el("li", {}, el("code", {}, text || " "))),
        ),
      );
    }

    drawPicks(focus) {
      const p = this.parts;
      p.picks.replaceChildren(
        ...this.order.map((item, i) => {
          const up = button(`Move ${item.text} up`, "up", () => this.shift(i, -1, "up"));
          const down = button(`Move ${item.text} down`, "down", () => this.shift(i, 1, "down"));
          setOff(up, i === 0);
          setOff(down, i === this.order.length - 1);
          const row = el(
            "li",
            { class: "pick" },
            el("span", { class: "grip" }, icon("grip")),
            el("code", {}, item.text),
            item.line ? aside("ln", lineOf(item.line)) : null,
            el("span", { class: "arrows" }, up, down),
          );
          row.addEventListener("pointerdown", (event) => this.drag(event, i));
          return row;
        }),
      );
      if (focus) {
        const row = p.picks.children[focus.i];
        const [up, down] = row.querySelectorAll("button");
        (focus.way === "up" ? up : down).focus();
      }
    }

    shift(i, by, way) {
      const { order } = this;
      const at = Math.max(0, Math.min(order.length - 1, i + by));
      const [item] = order.splice(i, 1);
      order.splice(at, 0, item);
      const place = at === 0 ? "first" : at === order.length - 1 ? "last" : at + 1;
      const told = at === i ? "already" : "now";
      this.parts.moved.textContent = `${item.text}: ${told} ${place} of ${order.length}`;
      this.drawPicks({ i: at, way });
    }

    drag(event, from) {
      if (event.target.closest("button") || event.button > 0) return;
      // A finger on the row scrolls the page; on the handle, it moves the row.
      if (event.pointerType !== "mouse" && !event.target.closest(".grip")) return;
      event.preventDefault();
      const { picks } = this.parts;
      const row = picks.children[from];
      const start = event.clientY;
      row.setPointerCapture(event.pointerId);
      row.classList.add("dragged");
      const place = (y) => {
        const rows = [...picks.children].filter((other) => other !== row);
        return rows.filter(
          (other) => y > other.getBoundingClientRect().top + other.offsetHeight / 2,
        ).length;
      };
      const onMove = (e) => {
        row.style.transform = `translateY(${e.clientY - start}px)`;
        [...picks.children].forEach((other, i) => {
          const to = place(e.clientY);
          other.classList.toggle("before", other !== row && i === (to >= from ? to + 1 : to));
        });
      };
      const finish = (e) => {
        row.removeEventListener("pointermove", onMove);
        const to = e.type === "pointerup" ? place(e.clientY) : from;
        if (to !== from) return this.shift(from, to - from, "up");
        row.style.transform = "";
        row.classList.remove("dragged");
      };
      row.addEventListener("pointermove", onMove);
      row.addEventListener("pointerup", finish, { once: true });
      row.addEventListener("pointercancel", finish, { once: true });
    }

    skip() {
      this.parts.predict.hidden = true;
      this.parts.replay.hidden = this.parts.chosen.hidden = false;
      this.reserve();
      this.go(this.visible[0]);
      this.parts.next.focus();
    }

    check() {
      const order = texts(this.order);
      storage.write(this.key_, { order });
      this.judged(order);
      this.parts.predict.querySelector(".verdict").focus();
    }

    judged(order) {
      const p = this.parts;
      const verdict = judge(this.data, order);
      const { node, runs, count, lines } = verdict.order;
      const name = `Node ${node.replace("v", "")}`;
      const seen = count > 0 ? `in ${count} of ${runs} runs` : "while recording";
      const rest = allOrders(this.data).length > 1 ? " It is not the only order seen." : "";
      const message = verdict.right
        ? `Right: ${name} printed this order ${seen}.${rest}`
        : `${verdict.good === 0 ? "Already the first line is different" : `The first ${verdict.good === 1 ? "line is" : `${verdict.good} lines are`} right`}${verdict.good === 0 ? ":" : ". Then"} you said “${order[verdict.good]}”, and ${name} printed “${lines[verdict.good] ?? "nothing more"}”. The replay starts where that was decided.`;
      p.predict.hidden = p.replay.hidden = p.chosen.hidden = false;
      p.predict.replaceChildren(
        el(
          "p",
          { class: `verdict ${verdict.right ? "right" : "wrong"}`, tabindex: -1 },
          el("strong", {}, verdict.right ? "✓ " : "✗ "),
          message,
        ),
        el(
          "ol",
          { class: "answer", "aria-label": "Your prediction" },
          ...order.map((text, i) =>
            el(
              "li",
              { class: i < verdict.good ? "good" : i === verdict.good ? "bad" : null },
              el("code", {}, text),
              el(
                "span",
                { class: "vh" },
                i < verdict.good ? " right" : i === verdict.good ? " first difference" : "",
              ),
            ),
          ),
        ),
        el(
          "p",
          { class: "actions" },
          button("Forget my prediction and ask again", null, () => this.again(), "Predict again"),
        ),
      );
      const wanted = this.recordings.findIndex(
        ({ v, recording }) => v === verdict.order.v && recording.order === verdict.order.o,
      );
      this.select(
        wanted >= 0
          ? wanted
          : Math.max(
              0,
              this.recordings.findIndex(
                ({ v, recording, version }) =>
                  v === verdict.order.v && version.orders[recording.order],
              ),
            ),
      );
      this.go(verdict.right ? this.visible[0] : this.decision(verdict.good));
    }

    /** The step at which the callback that printed line number `n` began. */
    decision(n) {
      const { model } = this;
      const out = model.printed.filter((line) => !line.error)[n];
      if (!out) return this.visible.at(-1);
      const run = model.stacks[out.at]?.run ?? out.at;
      const step = model.steps.findIndex((s) => s.at === run);
      return this.nearest(step >= 0 ? step : model.steps.findIndex((s) => s.at === out.at));
    }

    again() {
      storage.write(this.key_, null);
      this.ask();
      this.parts.picks.querySelector('button[aria-disabled="false"]').focus();
    }

    // -- files dropped ---------------------------------------------------------------------------------------------

    dropHint() {
      const input = el("input", {
        type: "file",
        accept: ".json,application/json",
        "aria-label": "Open a trace file",
        onchange: () => this.open(input.files[0]),
      });
      return el(
        "p",
        { class: "drop" },
        "Drop a ",
        el("code", {}, ".trace.json"),
        " file here, or open one: ",
        input,
      );
    }

    acceptFiles() {
      const over = (on) => (event) => {
        event.preventDefault();
        this.root.classList.toggle("over", on);
      };
      this.addEventListener("dragover", over(true));
      this.addEventListener("dragleave", over(false));
      this.addEventListener("drop", (event) => {
        over(false)(event);
        this.open(event.dataTransfer?.files[0]);
      });
    }

    async open(file) {
      if (!file) return;
      let data = null;
      try {
        data = JSON.parse(await file.text());
      } catch {
        return this.complain(`${file.name} is not JSON. Make a trace with: npm run trace my.js`);
      }
      const damaged = `${file.name} is damaged. Make it again with: npm run trace my.js`;
      try {
        goThrough(data);
      } catch {
        return this.complain(damaged); // what is shown stays
      }
      const asked = this.shadowRoot.activeElement !== null;
      try {
        this.load(data);
      } catch {
        this.giveUp();
        this.complain(damaged);
      }
      // What had the focus is gone: it goes to the replay, which has a new name.
      if (!asked || this.shadowRoot.activeElement) return;
      this.root.tabIndex = -1;
      this.root.focus();
    }

    /** Nothing to show, and nothing that would still be drawn later. */
    giveUp() {
      this.pause();
      for (const timer of [this.telling, this.resting]) clearTimeout(timer);
      this.watching?.disconnect();
      this.nearing?.disconnect();
      this.model = this.parts = this.items = null;
      this.root.replaceChildren(this.dropHint());
    }
  }

  /** Throws where a part of a trace is missing or is no such thing: said of a file at once, not while it is drawn. */
  function goThrough(data) {
    if (data?.type !== "loop-trace" || data.schema !== 1 || !Array.isArray(data.versions)) return; // `load` says so
    if (!(Number.isInteger(data.pool) && data.pool >= 1 && data.pool <= 1024))
      throw new Error("pool");
    for (const { recordings } of data.versions)
      for (const recording of recordings) {
        const model = indexRecording(recording, data.pool);
        for (const [i, step] of model.steps.entries()) {
          stateAt(model, step.at);
          describe(model, i);
        }
      }
  }

  function heading(text, color, note) {
    return el(
      "p",
      { class: "title", "data-color": color },
      text,
      note ? aside("note", note) : null,
    );
  }

  function colorOf(facts, phase) {
    if (facts.lane === "pool" || facts.lane === "slow" || facts.lane === "kernel") return "poll";
    if (facts.lane === "other") return phase ? PHASES[phase].color : "poll";
    return facts.lane;
  }

  const unbroken = (label) => label.replace(/ ([\d.]+) ms/, "\u00a0$1\u00a0ms");
  const dueIn = (us) => (us <= 0 ? "due" : `in ${ms(us)}`);

  function strips(steps) {
    const runs = [];
    for (const step of steps) {
      const color = PHASES[step.phase].color;
      if (runs.at(-1)?.color === color) runs.at(-1).length += 1;
      else runs.push({ color, length: 1 });
    }
    return runs.map(({ color, length }) =>
      el("span", { "data-color": color, style: `flex:${length} 0 0` }),
    );
  }

  /** The main thread on a time axis: what was busy, in the colour of its phase; waiting is left empty. */
  function busyTimes({ events, took }) {
    const total = events.at(-1)?.t || 1;
    const bars = [];
    for (const [run, length] of took) {
      const { t, phase } = events[run];
      const color = PHASES[phase].color;
      const last = bars.at(-1);
      // Neighbours closer than the eye can tell are one bar.
      if (last && last.color === color && t - last.to < total / 500)
        last.to = Math.max(last.to, t + length);
      else bars.push({ color, from: t, to: t + length });
    }
    return bars.map(({ color, from, to }) =>
      el("span", {
        "data-color": color,
        style: `left:${((100 * from) / total).toFixed(2)}%;width:${((100 * (to - from)) / total).toFixed(2)}%`,
      }),
    );
  }

  const RING = [
    ["poll", -90],
    ["check", 0],
    ["close", 90],
    ["timers", 180],
  ];

  /** The phases in the order the loop takes them, clockwise, with an arrow from each to the next. */
  function ring() {
    const at = (r, degrees) => {
      const angle = (degrees * Math.PI) / 180;
      return [100 + r * Math.cos(angle), 100 + r * Math.sin(angle)].map((x) => x.toFixed(1));
    };
    const arcs = RING.map(([name, middle]) => {
      const [from, to] = [middle - 38, middle + 38];
      const [x, y] = at(72, middle);
      const shape = `M${at(96, from)}A96 96 0 0 1 ${at(96, to)}L${at(49, to)}A49 49 0 0 0 ${at(49, from)}Z`;
      const arrow = `M${at(65, to + 3)}L${at(72, to + 12)}L${at(79, to + 3)}Z`;
      return (
        `<g class="arc" data-color="${name}"><path d="${shape}"/>` +
        `<text x="${x}" y="${+y + 4.5}">${name}</text></g><path class="arrow" d="${arrow}"/>`
      );
    });
    const box = el("div", { class: "ring", role: "img" });
    box.innerHTML =
      `<svg viewBox="0 0 200 200" aria-hidden="true">${arcs.join("")}` +
      '<text class="n" x="100" y="98"></text><text class="of" x="100" y="116"></text></svg>';
    return box;
  }

  function showRing(box, now, queue, busy) {
    for (const arc of box.querySelectorAll(".arc")) {
      arc.classList.toggle("on", arc.dataset.color === now.phase && now.event.what !== "exit");
      arc.classList.toggle("idle", !busy);
    }
    const outside = now.phase === "main" || now.event.what === "exit" || now.phase === "exit";
    const [big, small] = box.querySelectorAll("text.n, text.of");
    const ended = now.event.what === "exit";
    big.textContent = ended ? "end" : outside ? "main" : String(now.iteration);
    small.textContent =
      queue === "tick"
        ? "tick queue"
        : queue === "micro"
          ? "microtasks"
          : ended
            ? ""
            : outside
              ? "before the loop"
              : "iteration";
    box.setAttribute(
      "aria-label",
      ended
        ? "The process has ended"
        : outside
          ? "Not in the loop yet"
          : `Phase ${PHASES[now.phase].name}, iteration ${now.iteration}`,
    );
  }

  /** Follow the page's theme by the brightness of what is behind us: book, JupyterLab or a bare page. */
  function watchTheme(host, signal) {
    const apply = () => {
      // The book says it. To look behind oneself costs a layout of the page.
      const { theme } = document.documentElement.dataset;
      if (theme === "light" || theme === "dark")
        return host.toggleAttribute("data-dark", theme === "dark");
      let node = host;
      let color = "rgba(0, 0, 0, 0)";
      while (node && /rgba\(.*, 0\)|transparent/.test(color)) {
        node = node.parentElement;
        if (node) color = getComputedStyle(node).backgroundColor;
      }
      const parts = color.match(/[\d.]+/g)?.map(Number) ?? [];
      const known = node && parts.length >= 3;
      const scheme = getComputedStyle(document.documentElement).colorScheme;
      const dark = known
        ? 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] < 128
        : scheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches;
      host.toggleAttribute("data-dark", dark);
    };
    apply();
    const watch = new MutationObserver(apply);
    for (const node of [document.documentElement, document.body])
      watch.observe(node, {
        attributes: true,
        attributeFilter: [
          "class",
          "style",
          "data-theme",
          "data-mode",
          "data-jp-theme-light",
          "data-jp-theme-name",
        ],
      });
    signal.addEventListener("abort", () => watch.disconnect());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply, { signal });
    addEventListener("load", apply, { signal });
  }

  customElements.define("loop-replay", LoopReplay);
})();
