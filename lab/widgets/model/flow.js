// A writable stream, its high water mark, and a sink that takes one chunk after another.

(() => {
  globalThis.LabModels ??= {};
  const CHUNK = 4; // bytes: "four"
  const MOST = 12; // chunks that fit on a page

  const bytes = (n) => `${n} byte${n === 1 ? "" : "s"}`;

  globalThis.LabModels.flow = {
    title: "A high water mark, a writer and a slow sink",
    ask:
      'Each <code>write("four")</code> brings 4 bytes. Before you press a button, ' +
      "predict: what does the call return, and is the chunk kept? How many chunks must " +
      "the sink take before <code>drain</code> comes?",
    knobs: [
      {
        name: "mark",
        label: "High water mark",
        type: "range",
        min: 1,
        max: 24,
        value: 10,
        words: bytes,
      },
    ],
    demo: ["write", "write", "write", "write", "write", "take", "take", "take", "take", "take"],

    start: ({ mark }) => ({
      mark,
      kept: 0,
      need: false,
      wrote: 0,
      drains: 0,
      ending: false,
      end: "",
    }),

    moves: () => [
      { id: "write", label: '<code>write("four")</code>' },
      { id: "take", label: "The sink has taken a chunk" },
      { id: "end", label: "<code>end()</code>" },
    ],

    move(state, id) {
      if (id === "write") {
        if (state.ending)
          return {
            no: "After <code>end()</code> a write is an error: <code>ERR_STREAM_WRITE_AFTER_END</code>.",
          };
        if (state.kept >= MOST)
          return { no: "No more chunks fit on this page. Node would keep them." };
        state.kept += 1;
        state.wrote += 1;
        const length = state.kept * CHUNK;
        if (length < state.mark)
          return `<code>true</code>: ${bytes(length)} are in the stream, less than the high water mark.`;
        const first = !state.need;
        state.need = true;
        return `<code>false</code>, but the chunk is kept: ${bytes(length)} are in the stream, and the high water mark is ${state.mark}. ${first ? "This write has reached it." : "The writer ignores the advice."}`;
      }
      if (id === "end") {
        if (state.ending) return { no: "The stream has already been ended." };
        state.ending = true;
        if (state.kept === 0) {
          state.end = "finish";
          return "Nothing was left, so <code>finish</code> comes now.";
        }
        return (
          "No more chunks will come. <code>finish</code> waits until the " +
          `${bytes(state.kept * CHUNK)} are taken.`
        );
      }
      if (state.kept === 0) return { no: "The stream is empty, so the sink has nothing to take." };
      state.kept -= 1;
      const bytesLeft = state.kept * CHUNK;
      if (bytesLeft > 0) {
        const below = state.need && bytesLeft < state.mark;
        return `Taken: ${bytes(bytesLeft)} are left.${below ? " That is below the high water mark, but <code>drain</code> only comes when the stream is empty." : ""}`;
      }
      if (state.ending) {
        state.end = "finish";
        return "The last chunk was taken, and no more will come, so <code>finish</code> comes now.";
      }
      if (!state.need)
        return (
          "The stream is empty. There is no <code>drain</code>, because no write had " +
          "returned <code>false</code>."
        );
      state.need = false;
      state.drains += 1;
      return (
        "The stream is empty, and a write had returned <code>false</code>, so " +
        "<code>drain</code> comes. It comes only once, no matter how many writes " +
        "returned <code>false</code>."
      );
    },

    lanes: ({ mark, kept: chunks, need, drains, end }) => [
      {
        name: "in the stream",
        empty: "nothing",
        cells: Array.from({ length: chunks }, (_, i) => ({
          text: "four",
          sub:
            i === 0 ? "goes down" : (i + 1) * CHUNK >= mark ? "at or over the high water mark" : "",
          kind: i === 0 ? "busy" : (i + 1) * CHUNK >= mark ? "bad" : "",
        })),
      },
      {
        name: "<code>writableLength</code>",
        text: `${bytes(chunks * CHUNK)}, high water mark ${mark}`,
      },
      {
        name: "events",
        cells: [
          ...Array.from({ length: drains }, () => ({ text: "drain" })),
          ...(end ? [{ text: end }] : []),
          ...(need ? [{ text: "drain will come", kind: "free" }] : []),
        ],
        empty: "none yet",
      },
    ],
  };
})();
