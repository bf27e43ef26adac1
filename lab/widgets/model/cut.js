// A text as UTF-8, cut into two chunks, and what three readers get from the chunks.

(() => {
  globalThis.LabModels ??= {};

  const bytesOf = (text) => [...new TextEncoder().encode(text)];
  const alone = (bytes) =>
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array(bytes));

  /** What each reader gets from two chunks. */
  function readers([a, b]) {
    const streaming = new TextDecoder("utf-8", { ignoreBOM: true });
    const first = streaming.decode(new Uint8Array(a), { stream: true });
    return {
      add: [alone(a), alone(b)],
      decoder: [first, streaming.decode(new Uint8Array(b))],
      concat: alone([...a, ...b]),
    };
  }

  const chunks = ({ text, at }) => {
    const bytes = bytesOf(text);
    return [bytes.slice(0, at), bytes.slice(at)];
  };

  /** The character that a cut goes through, and how many of its bytes stay before the cut. */
  function through({ text, at }) {
    let from = 0;
    for (const char of text) {
      const { length } = bytesOf(char);
      if (from < at && at < from + length) return { char, before: at - from, of: length };
      from += length;
    }
    return null;
  }

  const inQuotes = (text) => `“${globalThis.LabModel.escaped(text)}”`;

  globalThis.LabModels.cut = {
    title: "A cut through your text",
    ask:
      "Type a text and move the cut. Before each step, say which of the three readers " +
      "gets the whole text.",
    readers,
    chunks,
    knobs: [
      { name: "text", label: "Text", type: "text", most: 16, value: "héllo €", live: true },
      {
        name: "at",
        label: "The first chunk ends after",
        type: "range",
        min: 0,
        max: ({ text } = { text: "" }) => bytesOf(text).length,
        value: 7,
        live: true,
        words: (n) => `${n} byte${n === 1 ? "" : "s"}`,
      },
    ],
    demo: [],

    start: (settings) => ({ ...settings }),
    adjust(state) {
      state.at = Math.min(state.at, bytesOf(state.text).length);
    },
    moves: () => [],
    move: () => ({ no: "" }),

    told(state) {
      const { length } = bytesOf(state.text);
      const count = `${state.text.length} units of UTF-16, ${length} bytes.`;
      const cut = through(state);
      if (!cut)
        return `${count} The cut is between two characters, so all three readers get the text.`;
      const { decoder } = readers(chunks(state));
      return (
        `${count} The cut goes through ${inQuotes(cut.char)}: ${cut.before} of its ` +
        `${cut.of} bytes come first. Neither chunk alone is valid text any more. The ` +
        `decoder keeps the incomplete bytes and makes ${inQuotes(decoder[0])} of the ` +
        `first chunk and ${inQuotes(decoder[1])} of the second.`
      );
    },

    lanes(state) {
      const { add, decoder, concat } = readers(chunks(state));
      const broken = through(state) !== null;
      let number = 0;
      const cells = [...state.text].flatMap((char) =>
        bytesOf(char).map((byte, i) => {
          number += 1;
          const first = number - 1 === state.at && state.at > 0;
          return {
            text: byte.toString(16).padStart(2, "0"),
            sub: i === 0 ? (char === " " ? "space" : char) : "·",
            kind: first ? "cut knife" : "",
          };
        }),
      );
      const quote = (parts) => parts.map((part) => inQuotes(part)).join(" + ");
      return [
        { name: "bytes", cells, of: "bytes", empty: "none" },
        {
          name: "<code>text += chunk</code>",
          text: `${quote(add)}${broken ? " <b>broken</b>" : ""}`,
        },
        { name: "<code>setEncoding</code>", text: quote(decoder) },
        { name: "<code>Buffer.concat</code>", text: inQuotes(concat) },
      ];
    },
  };
})();
