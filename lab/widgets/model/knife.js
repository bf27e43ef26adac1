// Three frames in a sequence of bytes, which the reader cuts into chunks. The model shows which frames the four parsers of
// servers/node/frame-parsers.mjs find, after which chunk, and how many bytes they copy.

(() => {
  globalThis.LabModels ??= {};
  const HEAD = 4;
  const FRAMES = ["one", "two", "three"];
  const bytes = FRAMES.flatMap((text) => [
    0,
    0,
    0,
    text.length,
    ...[...text].map((c) => c.charCodeAt(0)),
  ]);
  const starts = FRAMES.map((_, i) =>
    FRAMES.slice(0, i).reduce((sum, t) => sum + HEAD + t.length, 0),
  );

  const length = (some) => ((some[0] * 256 + some[1]) * 256 + some[2]) * 256 + some[3];
  const textOf = (some) => String.fromCharCode(...some);

  /** A parser takes a chunk, calls `frame` with each frame that it finds, and returns how many bytes it copied. */
  const parsers = {
    "one-chunk": (frame) => (chunk) => {
      if (chunk.length < HEAD) throw new RangeError("no length in it");
      frame(chunk.slice(HEAD, HEAD + length(chunk)));
      return 0;
    },
    concat: (frame) => {
      let buffer = [];
      return (chunk) => {
        buffer = [...buffer, ...chunk];
        const copiedBytes = buffer.length;
        while (buffer.length >= HEAD && buffer.length >= HEAD + length(buffer)) {
          const end = HEAD + length(buffer);
          frame(buffer.slice(HEAD, end));
          buffer = buffer.slice(end);
        }
        return copiedBytes;
      };
    },
    "make-room": (frame) => {
      let [room, have, isHead] = [HEAD, [], true];
      return (chunk) => {
        for (const byte of chunk) {
          have.push(byte);
          if (have.length < room) continue;
          if (!isHead) frame(have);
          [room, have, isHead] = [isHead ? length(have) : HEAD, [], !isHead];
        }
        return chunk.length;
      };
    },
    list: (frame) => {
      let [chunks, have, need, isHead] = [[], 0, HEAD, true];
      return (chunk) => {
        let copiedBytes = 0;
        chunks.push(chunk);
        have += chunk.length;
        while (have >= need) {
          if (chunks.length > 1) copiedBytes += have;
          const joinedBytes = chunks.flat();
          const part = joinedBytes.slice(0, need);
          [chunks, have] = have > need ? [[joinedBytes.slice(need)], have - need] : [[], 0];
          if (!isHead) frame(part);
          [need, isHead] = isHead ? [length(part), false] : [HEAD, true];
        }
        return copiedBytes;
      };
    },
  };

  const pieces = (cuts) => {
    const ends = [0, ...cuts, bytes.length];
    return ends.slice(1).map((end, i) => bytes.slice(ends[i], end));
  };

  /** The report of each parser: its frames, each with the number of the chunk, the copied bytes, and whether the parser threw. */
  function fed(cuts) {
    return Object.entries(parsers).map(([name, make]) => {
      const frames = [];
      let [copiedBytes, after, hasThrown] = [0, 0, false];
      const parse = make((frame) => frames.push({ text: textOf(frame), after }));
      try {
        for (const chunk of pieces(cuts)) {
          after += 1;
          copiedBytes += parse(chunk);
        }
      } catch {
        hasThrown = true;
      }
      return { name, frames, copied: copiedBytes, thrown: hasThrown };
    });
  }

  const allCuts = Array.from({ length: bytes.length - 1 }, (_, i) => i + 1);
  const printable = (text) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes of a length, taken for text
    text.replace(/[\u0000-\u001f]/g, "·") || "(empty)";

  globalThis.LabModels.knife = {
    title: "A knife, and four parsers",
    ask:
      "These bytes contain three frames, each with its length in the four bytes before " +
      "it. Cut the bytes into chunks, as a network might. First predict which parsers " +
      "still find <code>one</code>, <code>two</code> and <code>three</code>, and which " +
      "parser copies most.",
    bytes,
    pieces,
    fed,
    knobs: [
      {
        name: "at",
        label: "The knife is after",
        type: "range",
        min: 1,
        max: bytes.length - 1,
        value: 9,
        live: true,
        words: (n) => `byte ${n} of ${bytes.length}`,
      },
    ],
    demo: ["cut", "frames", "every", "whole"],

    start: ({ at }) => ({ at, cuts: [] }),

    moves: ({ at, cuts }) => [
      { id: "cut", label: cuts.includes(at) ? "Join here" : "Cut here" },
      { id: "frames", label: "One frame in each chunk" },
      { id: "every", label: "One byte in each chunk" },
      { id: "whole", label: "All in one chunk" },
    ],

    move(state, id) {
      const { at, cuts } = state;
      const next = {
        cut: cuts.includes(at)
          ? cuts.filter((cut) => cut !== at)
          : [...cuts, at].sort((a, b) => a - b),
        frames: starts.slice(1),
        every: allCuts,
        whole: [],
      }[id];
      state.cuts = next;
      const results = fed(next);
      const correct = results[0].frames.filter(({ text }, i) => text === FRAMES[i]).length;
      const n = next.length + 1;
      const how = results[0].thrown ? ", then throws because a chunk is shorter than a length" : "";
      const copies = results
        .map(({ name, copied }) => `${name} ${copied}`)
        .slice(1)
        .join(", ");
      return (
        `${n} chunk${n === 1 ? "" : "s"}: one-chunk gets ${correct} of 3 frames ` +
        `right${how}. The other parsers get all three, and copy this many bytes: ` +
        `${copies}.`
      );
    },

    lanes: ({ at, cuts }) => [
      {
        name: "bytes",
        of: "bytes",
        cells: bytes.map((byte, i) => ({
          text: byte < 32 ? byte.toString(16).padStart(2, "0") : String.fromCharCode(byte),
          sub: starts.includes(i) ? "length" : "",
          kind: `${cuts.includes(i) ? "cut" : ""}${i === at ? " knife" : ""}`,
        })),
      },
      ...fed(cuts).map(({ name, frames, copied: copiedBytes, thrown: hasThrown }) => ({
        name: `${name}, copied ${copiedBytes}`,
        cells: [
          ...frames.map(({ text, after }, i) => ({
            text: globalThis.LabModel.escaped(printable(text)),
            sub: `chunk ${after}`,
            kind: text === FRAMES[i] ? "" : "bad",
          })),
          ...(hasThrown ? [{ text: "throws", kind: "bad" }] : []),
        ],
        empty: "no frame",
      })),
    ],
  };
})();
