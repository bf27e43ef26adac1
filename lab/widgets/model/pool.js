// Calls that need a thread of the pool, and calls that do not. A read of a pipe without a writer blocks its thread until the gate
// opens. Every other call that gets a thread is done at once.

(() => {
  globalThis.LabModels ??= {};

  const CALLS = {
    pipe: { name: "pipe", label: "<code>fs.open</code> of a pipe", thread: true, hangs: true },
    stat: { name: "stat", label: "<code>fs.stat</code>", thread: true },
    lookup: { name: "lookup", label: "<code>dns.lookup</code>", thread: true },
    random: { name: "randomBytes", label: "<code>crypto.randomBytes</code>", thread: true },
    timer: {
      name: "timer",
      label: "<code>setTimeout</code>",
      why: "The loop keeps the timers itself, so no thread is needed.",
    },
    get: {
      name: "get",
      label: "<code>http.get</code> of 127.0.0.1",
      why: "The operating system tells the loop about sockets, so no thread is needed.",
    },
    sync: {
      name: "statSync",
      label: "<code>fs.statSync</code>",
      why: "It needs no thread of the pool, but holds up the thread that runs your JavaScript.",
    },
  };
  const MOST = 12; // waiting calls that fit on a page

  const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

  globalThis.LabModels.pool = {
    title: "Four slots and a gate",
    ask:
      "A pipe that nothing writes to holds the thread that opens it. Make calls, and " +
      "predict before each of them whether it completes or waits. How many calls does it " +
      "take to stop <code>fs.stat</code>?",
    knobs: [
      {
        name: "threads",
        label: "Threads in the pool",
        type: "range",
        min: 1,
        max: 8,
        value: 4,
        words: (n) => plural(n, "thread"),
      },
    ],
    demo: ["pipe", "pipe", "pipe", "stat", "pipe", "stat", "lookup", "get", "timer", "open"],

    start: ({ threads }) => ({ threads, held: [], queue: [], done: [], made: {} }),

    moves: () => [
      ...Object.entries(CALLS).map(([id, { label }]) => ({ id, label })),
      { id: "open", label: "Open the gate" },
    ],

    move(state, id) {
      const { held: blockedCalls, queue, done: answeredCalls, threads, made: counts } = state;
      if (id === "open") {
        const waiting = [...blockedCalls, ...queue];
        if (waiting.length === 0) return { no: "No call is waiting at the gate." };
        answeredCalls.push(...waiting);
        Object.assign(state, { held: [], queue: [] });
        return (
          "The gate opens. The calls that held the threads complete, and so do the " +
          `calls that waited behind them, ${plural(waiting.length, "call")} in all. ` +
          "Nothing was broken."
        );
      }
      const { name, label, thread, hangs, why } = CALLS[id];
      if (queue.length >= MOST)
        return { no: "The queue is too long for this page. Open the gate." };
      counts[name] = (counts[name] ?? 0) + 1;
      const call = `${name} ${counts[name]}`;
      if (!thread) {
        answeredCalls.push(call);
        return `${label} is answered. ${why}`;
      }
      if (blockedCalls.length === threads) {
        queue.push(call);
        return (
          `${label} waits, because ` +
          `${threads === 1 ? "the only thread is" : `all ${threads} threads are`} held. ` +
          `${plural(queue.length, "call")} ${queue.length === 1 ? "waits" : "wait"} ` +
          "in the queue. No processor is busy."
        );
      }
      if (hangs) {
        blockedCalls.push(call);
        return `A thread takes ${label} and hangs at the gate. Now ${blockedCalls.length} of ${threads} are held.`;
      }
      answeredCalls.push(call);
      const free = threads - blockedCalls.length;
      return (
        `${label} is complete, because ` +
        `${free === 1 ? "the only free thread" : `one of the ${free} free threads`} has ` +
        "done it."
      );
    },

    lanes: ({ threads, held: blockedCalls, queue, done: answeredCalls }) => [
      {
        name: "threads",
        cells: Array.from({ length: threads }, (_, i) =>
          blockedCalls[i]
            ? { text: blockedCalls[i], sub: "hangs", kind: "bad" }
            : { text: "free", kind: "free" },
        ),
      },
      { name: "queue of the pool", cells: queue.map((text) => ({ text, kind: "busy" })) },
      { name: "answered", cells: answeredCalls.map((text) => ({ text })) },
    ],
  };
})();
