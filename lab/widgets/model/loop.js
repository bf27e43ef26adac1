// The requests of three visitors read a number, wait, and write the number plus one. The reader plays the loop and chooses what runs
// next.

(() => {
  globalThis.LabModels ??= {};
  const VISITORS = ["Ann", "Bob", "Cy"];
  const WAYS = {
    timer: "a store that is 5 ms away",
    microtask: "null",
    lock: "a store that is 5 ms away, with a lock",
  };

  const isIn = ({ waiting, line }, visitor) =>
    waiting.some((waiter) => waiter.who === visitor) || line.includes(visitor);

  function read(state, visitor) {
    state.waiting.push({ who: visitor, number: state.stored });
    state.log.push(`${visitor} reads ${state.stored}`);
    const same = state.waiting.filter(
      (waiter) => waiter.number === state.stored && waiter.who !== visitor,
    );
    return same.length > 0
      ? `${visitor} reads ${state.stored}, as ${same.map((waiter) => waiter.who).join(" and ")} did.`
      : `${visitor} reads ${state.stored}.`;
  }

  globalThis.LabModels.loop = {
    title: "Be the loop",
    ask:
      "Each visitor’s request runs these three lines. You are the loop. Choose what runs " +
      "next. Can you lose an update? Is the answer the same with <code>null</code> instead " +
      "of the store?",
    code: "const number = stored;\nawait away();\nstored = number + 1;",
    knobs: [
      {
        name: "way",
        label: "The await waits for",
        options: Object.entries(WAYS),
        value: "timer",
      },
    ],
    demo: ["Ann", "Bob", "on Bob", "on Ann", "on Bob"],

    start: ({ way }) => ({ way, stored: 0, answered: 0, waiting: [], line: [], log: [] }),

    moves: () => [
      ...VISITORS.map((who) => ({ id: who, label: `${who}’s request comes` })),
      ...VISITORS.map((who) => ({
        id: `on ${who}`,
        label: `${who} continues after the <code>await</code>`,
      })),
    ],

    move(state, id) {
      const { way, waiting, line } = state;
      const next = waiting[0];
      if (!id.startsWith("on ")) {
        if (isIn(state, id)) return { no: `${id} has asked, and is waiting for the answer.` };
        if (way === "microtask" && next)
          return {
            no:
              `${id}’s request is a callback of its own, in the poll phase. Before the ` +
              `loop takes it, the microtask queue is emptied, and ${next.who}’s last line ` +
              "is in that queue.",
          };
        if (way === "lock" && next) {
          line.push(id);
          return `${next.who} has the lock. ${id} has read nothing, and waits in the queue.`;
        }
        return `${read(state, id)} ${way === "microtask" ? "What comes behind <code>await null</code> is in the microtask queue." : "The store will answer in 5 ms."}`;
      }
      const visitor = id.slice(3);
      if (line.includes(visitor))
        return { no: `${visitor} has not read yet, and waits for the lock.` };
      if (!isIn(state, visitor)) return { no: `${visitor} has not asked.` };
      if (next.who !== visitor)
        return {
          no: `${next.who} asked the store first. Timers of one length run in the order in which they were set.`,
        };
      waiting.shift();
      const lost = next.number + 1 <= state.stored;
      state.stored = next.number + 1;
      state.answered += 1;
      state.log.push(`${visitor} writes ${state.stored}`);
      const text = lost
        ? `${visitor} writes ${state.stored} over a value that was written in the meantime. ` +
          "An update is lost, and no error appears."
        : `${visitor} writes ${state.stored}.`;
      const first = line.shift();
      return first ? `${text} The lock is free: ${read(state, first)}` : text;
    },

    end({ stored, answered, waiting }) {
      if (waiting.length > 0 || answered < 2) return "";
      const lost = answered - stored;
      return (
        `${answered} requests got a response, and ${stored} were counted: ` +
        `${lost === 0 ? "none is lost" : `${lost} lost`}.`
      );
    },

    lanes: ({ way, stored: count, answered: answers, waiting, line }) => [
      { name: "stored", text: String(count) },
      {
        name: way === "microtask" ? "microtask queue" : "wait for the store",
        cells: waiting.map(({ who, number }) => ({
          text: who,
          sub: `has read ${number}`,
          kind: number < count ? "bad" : "busy",
        })),
      },
      ...(way === "lock"
        ? [{ name: "waiting for the lock", cells: line.map((text) => ({ text })) }]
        : []),
      { name: "answered", text: String(answers) },
    ],
  };
})();
