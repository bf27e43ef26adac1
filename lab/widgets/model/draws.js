// Pairs of runs of the same server, shown one after another with the error bars of the textbook. The reader says whether each pair
// shows a real difference or noise. The data are measured: {draws: [[mean, error, mean, error], …]} in microseconds, where each
// error is the standard error of its mean.

(() => {
  globalThis.LabModels ??= {};
  const BARS = 2; // standard errors to either side, as on the page
  const APART = 1.96; // standard errors of the difference: from here on the textbook calls it real

  const differs = ([m, e, n, f]) => Math.abs(m - n) > APART * Math.hypot(e, f);

  const micro = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)}`;

  globalThis.LabModels.draws = {
    title: "Real, or noise?",
    ask:
      "Each draw shows the mean latency of two runs under the same load, one after the " +
      "other, with error bars of two standard errors. Is there a real difference between " +
      "the two programs, or is it noise?",
    demo: [],
    differs,

    start: (_, { draws } = { draws: [] }) => ({ draws, said: [] }),

    moves: ({ draws, said: answers }) =>
      answers.length < draws.length
        ? [
            { id: "real", label: "A real difference" },
            { id: "noise", label: "Noise" },
          ]
        : [],

    move(state, id) {
      state.said.push(id);
      const [n, of] = [state.said.length, state.draws.length];
      const answerText = `Draw ${n}: you said ${id === "real" ? "a real difference" : "noise"}.`;
      return n < of ? `${answerText} Here is draw ${n + 1} of ${of}.` : answerText;
    },

    end({ draws, said: answers }) {
      if (answers.length < draws.length || draws.length === 0) return "";
      const real = answers.filter((answer) => answer === "real").length;
      const realCount = draws.filter(differs).length;
      return (
        `In all ${draws.length} draws both runs were the same file under the same load, ` +
        "in two fresh processes. You were right " +
        `${draws.length - real === 1 ? "once" : `${draws.length - real} times`} of ` +
        `${draws.length}. The textbook’s formula finds a difference in ${realCount}.`
      );
    },

    lanes({ draws, said: answers }) {
      const draw = draws[answers.length];
      if (!draw)
        return draws.map((pair, i) => ({
          name: `draw ${i + 1}`,
          cells: [
            { text: `you: ${answers[i]}`, kind: answers[i] === "real" ? "bad" : "" },
            {
              text: `textbook: ${differs(pair) ? "real" : "noise"}`,
              kind: differs(pair) ? "bad" : "",
            },
          ],
        }));
      const [m, e, n, f] = draw;
      const ends = [m - BARS * e, m + BARS * e, n - BARS * f, n + BARS * f];
      // The axis has room on both sides, so that two close means do not look far apart.
      const [least, most] = [Math.min(...ends), Math.max(...ends)];
      const room = Math.max((most - least) * 0.25, 0.03 * m);
      const at = (value) => ((value - least + room) / (most - least + 2 * room)).toFixed(3);
      const run = (name, mean, error) => ({
        name,
        of: "scale",
        cells: [
          {
            text: `${micro(mean)} ± ${micro(BARS * error)} µs`,
            at: at(mean),
            low: at(mean - BARS * error),
            high: at(mean + BARS * error),
          },
        ],
      });
      return [
        { name: "draw", text: `${answers.length + 1} of ${draws.length}` },
        run("one run", m, e),
        run("the other", n, f),
      ];
    },
  };
})();
