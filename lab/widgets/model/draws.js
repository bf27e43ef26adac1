// Pairs of runs of one and the same server, shown one after another with the error bars of the textbook: a real difference, or noise?
// Its data are measured: {draws: [[mean, error, mean, error], …]} in microseconds, the error that of the mean.

(() => {
  globalThis.LabModels ??= {};
  const BARS = 2; // standard errors to either side, as on the page
  const APART = 1.96; // of their difference: what the textbook calls one

  const differs = ([m, e, n, f]) => Math.abs(m - n) > APART * Math.hypot(e, f);

  const micro = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)}`;

  globalThis.LabModels.draws = {
    title: "Real, or noise?",
    ask: "Each draw shows the mean latency of two runs under the same load, one after the other, with error bars of two standard errors. Is there a real difference between what the two ran, or is it noise?",
    demo: [],
    differs,

    start: (_, { draws } = { draws: [] }) => ({ draws, said: [] }),

    moves: ({ draws, said }) =>
      said.length < draws.length
        ? [
            { id: "real", label: "A real difference" },
            { id: "noise", label: "Noise" },
          ]
        : [],

    move(state, id) {
      state.said.push(id);
      const [n, of] = [state.said.length, state.draws.length];
      const kept = `Draw ${n}: you said ${id === "real" ? "a real difference" : "noise"}.`;
      return n < of ? `${kept} Here is draw ${n + 1} of ${of}.` : kept;
    },

    end({ draws, said }) {
      if (said.length < draws.length || draws.length === 0) return "";
      const real = said.filter((one) => one === "real").length;
      const told = draws.filter(differs).length;
      return `In all ${draws.length} draws both runs were the same file under the same load, in two fresh processes. You were right ${draws.length - real === 1 ? "once" : `${draws.length - real} times`} of ${draws.length}. The textbook’s formula finds a difference in ${told}.`;
    },

    lanes({ draws, said }) {
      const draw = draws[said.length];
      if (!draw)
        return draws.map((one, i) => ({
          name: `draw ${i + 1}`,
          cells: [
            { text: `you: ${said[i]}`, kind: said[i] === "real" ? "bad" : "" },
            {
              text: `textbook: ${differs(one) ? "real" : "noise"}`,
              kind: differs(one) ? "bad" : "",
            },
          ],
        }));
      const [m, e, n, f] = draw;
      const ends = [m - BARS * e, m + BARS * e, n - BARS * f, n + BARS * f];
      // Room on both sides, so that two near means do not look far apart.
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
        { name: "draw", text: `${said.length + 1} of ${draws.length}` },
        run("one run", m, e),
        run("the other", n, f),
      ];
    },
  };
})();
