// A loop that accepts connections, serves each accepted connection, and repeats. The rules are those of lab/predict/accept.py, and
// the unit of time is the time of one request.

(() => {
  globalThis.LabModels ??= {};

  const joinWords = (all) =>
    all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
  const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

  /** Clients whose patience is over give up. A client with more requests comes back at the end of the queue. */
  function giveUp(state) {
    const quitters = [];
    for (;;) {
      const due = [...state.queue, ...state.inside, ...state.leaving]
        .filter((connection) => !connection.gone && connection.sent + state.patience < state.now)
        .sort((a, b) => a.sent - b.sent || a.number - b.number)[0];
      if (!due) return quitters;
      due.gone = true;
      state.failed += 1;
      quitters.push(due.client);
      if (state.left[due.client - 1] === 0) continue;
      state.left[due.client - 1] -= 1;
      state.number += 1;
      const sent = due.sent + state.patience;
      state.queue.push({ client: due.client, sent, number: state.number, gone: false });
    }
  }

  /** Work on the request of a connection. Returns whether its client sends another request on the same connection. */
  function serve(state, connection, outcome) {
    state.now += 1;
    outcome.lost.push(...giveUp(state));
    if (connection.gone) {
      outcome.vain.push(connection.client);
      return false;
    }
    outcome.served.push(connection.client);
    state.answered += 1;
    if (state.left[connection.client - 1] === 0) {
      connection.gone = true;
      state.done.push(connection.client);
      return false;
    }
    state.left[connection.client - 1] -= 1;
    state.number += 1;
    Object.assign(connection, { sent: state.now, number: state.number });
    return true;
  }

  function turn(state) {
    state.turn += 1;
    const outcome = { lost: giveUp(state), served: [], vain: [] };
    const comes = state.queue.splice(0, state.rule === "one" ? 1 : state.queue.length);
    state.leaving = [...state.inside, ...comes];
    state.inside = [];
    for (const connection of [...state.leaving]) {
      if (serve(state, connection, outcome)) state.inside.push(connection);
      state.leaving.shift();
    }
    return { ...outcome, comes: comes.map(({ client }) => client) };
  }

  const over = ({ queue, inside }) => queue.length === 0 && inside.length === 0;

  globalThis.LabModels.door = {
    title: "Turn by turn at the door",
    ask:
      "All clients arrive at once. Each client sends <i>R</i> requests of time <i>S</i>, " +
      "one after another, and gives up on a request after a patience of <i>T</i>. Before " +
      "each turn, predict which clients are let in and which clients lose patience. Then " +
      "try the rule of older Nodes. (This counts turns as the page does. Node itself " +
      "begins to serve a new client in the next turn.)",
    knobs: [
      {
        name: "rule",
        label: "A turn lets in",
        options: [
          ["one", "one connection (libuv 1.45 and later)"],
          ["all", "all that wait (libuv before 1.45)"],
        ],
        value: "one",
      },
      {
        name: "clients",
        label: "Clients c",
        type: "range",
        min: 2,
        max: 12,
        value: 8,
        words: (n) => plural(n, "client"),
      },
      {
        name: "rounds",
        label: "Requests of each client, R",
        type: "range",
        min: 1,
        max: 5,
        value: 3,
        words: (n) => plural(n, "request"),
      },
      {
        name: "patience",
        label: "Patience T",
        type: "range",
        min: 2,
        max: 40,
        value: 10,
        words: (n) => `${n} × S`,
      },
    ],
    demo: ["turn", "turn", "turn", "turn", "turn", "rest"],

    start: ({ rule, clients, rounds, patience }) => ({
      ...{ rule, clients, rounds, patience },
      left: Array.from({ length: clients }, () => rounds - 1),
      queue: Array.from({ length: clients }, (_, i) => ({
        client: i + 1,
        sent: 0,
        number: i,
        gone: false,
      })),
      inside: [],
      leaving: [],
      done: [],
      ...{ number: clients, now: 0, turn: 0, failed: 0, answered: 0 },
    }),

    moves: () => [
      { id: "turn", label: "A turn of the loop" },
      { id: "rest", label: "All turns to the end" },
    ],

    move(state, id) {
      if (over(state)) return { no: "There is no client at the door or inside." };
      if (id === "rest") {
        const from = state.turn;
        while (!over(state)) turn(state);
        return `${plural(state.turn - from, "turn")} more.`;
      }
      const { comes, served: servedClients, vain, lost: quitters } = turn(state);
      const parts = [
        comes.length > 0
          ? `client ${joinWords(comes)} ${comes.length > 1 ? "are" : "is"} let in`
          : "no client is at the door",
      ];
      if (servedClients.length > 0)
        parts.push(`${joinWords(servedClients)} ${servedClients.length > 1 ? "are" : "is"} served`);
      if (vain.length > 0) parts.push(`the work for ${joinWords(vain)} is wasted`);
      if (quitters.length > 0)
        parts.push(`${joinWords(quitters)} ${quitters.length > 1 ? "give" : "gives"} up`);
      return `Turn ${state.turn}: ${parts.join("; ")}. It is ${state.now} × S.`;
    },

    end(state) {
      if (!over(state)) return "";
      const { clients, rounds, patience, failed: failures, answered: answers, rule } = state;
      const law = clients - patience / rounds;
      const formula =
        rule === "one"
          ? ` The formula for first requests, c − T/(R·S), says about ${Math.max(0, Math.round(law))}.`
          : "";
      return `${answers} answered, ${failures} given up.${formula}`;
    },

    lanes: ({
      queue,
      inside,
      left: remaining,
      done: finishedClients,
      failed: failures,
      now,
      turn: turns,
    }) => [
      {
        name: "at the door",
        cells: queue.map(({ client, gone }) => ({
          text: String(client),
          sub: gone ? "gave up" : "",
          kind: gone ? "bad" : "",
        })),
        empty: "nobody",
      },
      {
        name: "inside",
        cells: inside.map(({ client, gone }) => ({
          text: String(client),
          sub: gone ? "gave up" : `${remaining[client - 1] + 1} to go`,
          kind: gone ? "bad" : "busy",
        })),
        empty: "nobody",
      },
      {
        name: "has all its responses",
        cells: finishedClients.map((client) => ({ text: String(client) })),
        empty: "nobody",
      },
      {
        name: "so far",
        text: `turn ${turns}, ${now} × S; ${plural(failures, "request")} given up`,
      },
    ],
  };
})();
