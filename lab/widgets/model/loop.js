// Three visitors whose requests read a number, wait, and write the number plus one. The reader is the loop, and chooses what runs next.

(() => {
  globalThis.LabModels ??= {};
  const VISITORS = ["Ann", "Bob", "Cy"];
  const WAYS = {
    timer: "a store that is 5 ms away",
    microtask: "null",
    lock: "a store that is 5 ms away, with a lock",
  };

  const isIn = ({ waiting, line }, who) =>
    waiting.some((one) => one.who === who) || line.includes(who);

  function read(state, who) {
    state.waiting.push({ who, number: state.stored });
    state.log.push(`${who} reads ${state.stored}`);
    const same = state.waiting.filter((one) => one.number === state.stored && one.who !== who);
    return same.length > 0
      ? `${who} reads ${state.stored}, as ${same.map((one) => one.who).join(" and ")} did.`
      : `${who} reads ${state.stored}.`;
  }

  globalThis.LabModels.loop = {
    title: "Be the loop",
    ask: "Each visitor’s request runs these three lines. You are the loop: choose what runs next. Can you lose an update? And with <code>null</code> instead of the store?",
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
        label: `${who} goes on behind the <code>await</code>`,
      })),
    ],

    move(state, id) {
      const { way, waiting, line } = state;
      const next = waiting[0];
      if (!id.startsWith("on ")) {
        if (isIn(state, id)) return { no: `${id} has asked, and waits for an answer.` };
        if (way === "microtask" && next)
          return {
            no: `${id}’s request is a callback of its own, in the poll phase. Before the loop takes it, the microtask queue is emptied, and ${next.who}’s last line is in it.`,
          };
        if (way === "lock" && next) {
          line.push(id);
          return `${next.who} has the lock. ${id} has read nothing, and stands in line.`;
        }
        return `${read(state, id)} ${way === "microtask" ? "What comes behind <code>await null</code> is in the microtask queue." : "The store will answer in 5 ms."}`;
      }
      const who = id.slice(3);
      if (line.includes(who)) return { no: `${who} has not read yet, and waits for the lock.` };
      if (!isIn(state, who)) return { no: `${who} has not asked.` };
      if (next.who !== who)
        return {
          no: `${next.who} asked the store first. Timers of one length run in the order in which they were set.`,
        };
      waiting.shift();
      const lost = next.number + 1 <= state.stored;
      state.stored = next.number + 1;
      state.answered += 1;
      state.log.push(`${who} writes ${state.stored}`);
      const told = lost
        ? `${who} writes ${state.stored} over what was written meanwhile: an update is lost, and no error appears.`
        : `${who} writes ${state.stored}.`;
      const first = line.shift();
      return first ? `${told} The lock is free: ${read(state, first)}` : told;
    },

    end({ stored, answered, waiting }) {
      if (waiting.length > 0 || answered < 2) return "";
      const lost = answered - stored;
      return `${answered} requests were answered, ${stored} counted: ${lost === 0 ? "none is lost" : `${lost} lost`}.`;
    },

    lanes: ({ way, stored, answered, waiting, line }) => [
      { name: "stored", text: String(stored) },
      {
        name: way === "microtask" ? "microtask queue" : "wait for the store",
        cells: waiting.map(({ who, number }) => ({
          text: who,
          sub: `has read ${number}`,
          kind: number < stored ? "bad" : "busy",
        })),
      },
      ...(way === "lock"
        ? [{ name: "in line for the lock", cells: line.map((text) => ({ text })) }]
        : []),
      { name: "answered", text: String(answered) },
    ],
  };
})();
