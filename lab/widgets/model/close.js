// One keep-alive connection, and a server that gets SIGTERM. The reader chooses at which stage of a request the signal arrives, and
// sees what happens to the request.

(() => {
  globalThis.LabModels ??= {};
  const WAYS = {
    exit: "process.exit()",
    close: "server.close() of http",
    drain: "drain: net’s close(), Connection: close",
  };

  const lose = (state) => {
    if (state.request) state.lost += 1;
    Object.assign(state, { request: "", open: false });
  };

  const alone = (state) => {
    if (state.told && !state.open) state.server = "has ended";
  };

  globalThis.LabModels.close = {
    title: "The moment of SIGTERM",
    ask:
      "A client keeps its connection and sends one request after another. Place the " +
      "signal anywhere on the way of a request: before it, on the wire, in the handler or " +
      "after the response. For each way to end, find a place where a request is lost, or " +
      "show that there is none.",
    knobs: [{ name: "way", label: "On SIGTERM", options: Object.entries(WAYS), value: "close" }],
    demo: ["send", "arrive", "answer", "send", "term"],

    start: ({ way }) => ({
      ...{ way, open: true, request: "", told: false, server: "listens" },
      ...{ answered: 0, lost: 0 },
    }),

    moves: () => [
      { id: "send", label: "The client sends a request" },
      { id: "arrive", label: "The server reads it" },
      { id: "answer", label: "The server answers" },
      { id: "term", label: "SIGTERM" },
      { id: "kill", label: "The operator's patience ends: SIGKILL" },
    ],

    move(state, id) {
      const { way, open, request, told: hasSignal, server } = state;
      const isOver = server === "has ended" || server === "was killed";
      if (id === "send") {
        if (request) return { no: "The client is waiting for the response to its last request." };
        if (!open)
          return {
            no: hasSignal
              ? "The connection is closed, and a new one is refused. Nothing was sent, so " +
                "nothing is lost, and the client goes to the next server."
              : "The connection is closed.",
          };
        state.request = "on the wire";
        return "The request is on its way. To the server the connection still looks idle.";
      }
      if (isOver) return { no: "The server has ended." };
      if (id === "arrive") {
        if (request !== "on the wire")
          return { no: request ? "The server has read the request." : "Nothing is on the wire." };
        state.request = "in the handler";
        return (
          "In the next turn of the loop, the server reads the request, and its handler " +
          "starts to work."
        );
      }
      if (id === "answer") {
        if (request !== "in the handler") return { no: "The handler has no request." };
        Object.assign(state, { request: "", answered: state.answered + 1 });
        if (!(hasSignal && way === "drain"))
          return `The client has its response, and the connection stays open.${hasSignal ? " Nothing has told the client to stop, and nothing closes the connection: the client may ask again." : ""}`;
        state.open = false;
        alone(state);
        return (
          "The response says <code>Connection: close</code>, so it is the last one on " +
          "this connection. Nothing is left to wait for, and the server ends."
        );
      }
      if (id === "term") {
        if (hasSignal) return { no: "The server has already received the signal." };
        state.told = true;
        if (way === "exit") {
          lose(state);
          alone(state);
          return request
            ? `The process has ended, and the request that was ${request} is lost.`
            : "The process has ended. No request was under way.";
        }
        state.server = "no longer listens";
        if (way === "drain")
          return (
            "The server no longer listens, but closes no connection. Each client may " +
            "send one more request."
          );
        if (request === "in the handler")
          return "The server no longer listens. The connection is busy, so it stays open.";
        lose(state);
        alone(state);
        return request
          ? "The server no longer listens, and closes each connection that looks idle. The " +
              "request on the wire meets a closed connection and is lost. The client can't " +
              "know whether the server has acted on it."
          : "The server no longer listens, closes the idle connection, and ends. Nothing is lost.";
      }
      if (!hasSignal) return { no: "Operators send SIGTERM first." };
      const loss = request
        ? " The request that was under way is lost."
        : " No request was under way.";
      lose(state);
      state.server = "was killed";
      return `The server had not ended by itself.${loss}`;
    },

    lanes: ({ server, open, request, answered: answers, lost: losses }) => [
      { name: "server", text: server },
      { name: "connection", text: open ? "open" : "closed" },
      {
        name: "request",
        cells: request ? [{ text: request, kind: "busy" }] : [],
        empty: "none under way",
      },
      { name: "answered", text: String(answers) },
      { name: "lost", cells: losses ? [{ text: String(losses), kind: "bad" }] : [], empty: "0" },
    ],
  };
})();
