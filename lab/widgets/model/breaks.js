// A source, a step and a sink, joined in one of four ways. One of the streams breaks. Which streams are destroyed, which listeners
// hear of the error, and which streams wait?

(() => {
  globalThis.LabModels ??= {};
  const PARTS = ["source", "step", "sink"];
  const WAYS = {
    pipe: "pipe, no listener",
    listeners: "pipe, a listener for errors on each",
    pipeline: "pipeline",
    "for await": "for await over source.pipe(step)",
  };

  const open = (parts) => PARTS.filter((part) => parts[part] === "open");

  globalThis.LabModels.breaks = {
    title: "Break a stream",
    ask:
      "The three streams below are joined, and data flows. Choose how they are joined. " +
      "Before you break one of them, predict: which streams are destroyed, what hears of " +
      "it, and which streams wait without end? Is there a way of joining them so that no " +
      "stream waits?",
    knobs: [{ name: "way", label: "Joined by", options: Object.entries(WAYS), value: "listeners" }],
    demo: ["step"],

    start: ({ way }) => ({
      ...{ way, broken: "", ended: false, heard: "" },
      parts: { source: "open", step: "open", sink: "open" },
    }),

    moves: () => [
      ...PARTS.map((id) => ({ id, label: `The ${id} breaks` })),
      { id: "leaves", label: "The client leaves, and the sink closes without an error" },
    ],

    move(state, id) {
      const { way, parts } = state;
      if (state.broken)
        return {
          no:
            "The chain is broken, and " +
            `${state.ended ? "the process has ended" : "nothing flows"}. Take it back, ` +
            "or start again.",
        };
      state.broken = id;
      const leaves = id === "leaves";
      const broken = leaves ? "sink" : id;
      if (way === "pipeline") {
        for (const part of PARTS) parts[part] = "destroyed";
        state.heard = leaves ? "ERR_STREAM_PREMATURE_CLOSE" : "broke";
        return `<code>pipeline</code> watches all three, destroys all three, and tells you once: ${state.heard}.`;
      }
      // The loop hears errors of the step, because it iterates over the step. A listener hears errors of its own stream.
      const hears = way === "listeners" || (way === "for await" && id === "step");
      if (!leaves && !hears) {
        state.ended = true;
        for (const part of PARTS) parts[part] = "gone";
        return `Nothing listens for errors of the ${id}${way === "for await" ? ": the loop only hears the step" : ", and <code>pipe</code> does not hear them for you"}. Node throws, and the process ends.`;
      }
      parts[broken] = "destroyed";
      state.heard = leaves ? "" : way === "for await" ? "broke" : `${id}: broke`;
      const [first, second] = open(parts);
      const stay = `The ${first} and the ${second} stay open, and nothing will close them.`;
      if (!leaves)
        return (
          `The ${id} is destroyed, and ` +
          `${way === "for await" ? "the loop" : "its listener"} is told. ${stay}`
        );
      return (
        "The sink is destroyed. There was no error, so no listener is " +
        `told${way === "for await" ? ": the loop goes on, and writes into a stream that is gone" : ""}. ` +
        `${stay}`
      );
    },

    lanes: ({ parts, heard: event, ended: isOver }) => [
      ...PARTS.map((name) => ({
        name,
        cells: [
          {
            text: parts[name] === "open" ? "open" : parts[name],
            kind: parts[name] === "open" ? "busy" : "free",
          },
        ],
      })),
      { name: "heard", text: isOver ? "the process has ended with code 1" : event || "nothing" },
    ],
  };
})();
