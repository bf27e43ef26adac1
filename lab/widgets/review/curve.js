// The calibration curve of a reader: how sure against how often right, as a figure, as a sentence, and as a table.

(() => {
  if (typeof document === "undefined") return;
  const { el, svg } = LabDom;
  const { calibration, points, verdict, percent, span, ENOUGH } = LabReview;

  const SIZE = 260; // the side of the square, in units of the drawing
  const PLACE = { left: 64, top: 12, right: 28, bottom: 44 };
  const TICKS = [0, 0.25, 0.5, 0.75, 1];
  const x = (share) => PLACE.left + share * SIZE;
  const y = (share) => PLACE.top + (1 - share) * SIZE;

  /** A figure of the reviews. With fewer than ENOUGH answers, a sentence says that there are too few. */
  function curve(reviews, level = "h2") {
    const heading = el(level, {}, "How sure you are, and how often you are right");
    const result = calibration(points(reviews));
    if (!result?.enough) {
      const so = result ? `So far there ${result.n === 1 ? "is 1" : `are ${result.n}`}. ` : "";
      return el(
        "section",
        { class: "calibration" },
        heading,
        el(
          "p",
          {},
          `${so}Once you have answered ${ENOUGH} questions in reviews, this plot shows how your confidence compares with how `,
          "often you were right. With fewer answers, it would show mostly chance.",
        ),
      );
    }
    return el(
      "section",
      { class: "calibration" },
      heading,
      el("p", {}, verdict(result)),
      el(
        "figure",
        {},
        drawn(result),
        el(
          "figcaption",
          {},
          "Each dot is a level of confidence, with the number of answers and the 95 % " +
            "interval of the share (Wilson). ",
          "On the dashed line, you are right exactly as often as you expected. Each question " +
            "counts only the first time. ",
          `Brier score ${LabNumbers.bare(result.brier)}: the mean square of how far your confidence was from 1 for a right `,
          "answer and from 0 for a wrong one. 0 is best, and always saying 50 % gives 0.25.",
        ),
      ),
      el("details", {}, el("summary", {}, "The same numbers as a table"), tabled(result)),
    );
  }

  function drawn(result) {
    const width = PLACE.left + SIZE + PLACE.right;
    const height = PLACE.top + SIZE + PLACE.bottom;
    const label = (text, at) => svg("text", at, text);
    const ticks = TICKS.flatMap((share) => [
      svg("path", { class: "grid", d: `M${x(0)} ${y(share)}H${x(1)}M${x(share)} ${y(0)}V${y(1)}` }),
      label(percent(share), { x: x(share), y: y(0) + 18, "text-anchor": "middle" }),
      label(percent(share), { x: x(0) - 6, y: y(share) + 4, "text-anchor": "end" }),
    ]);
    const bins = result.bins.flatMap(({ sure, share, interval: [low, high], n }) => {
      const side = sure > 0.8 && sure < 1 ? -1 : 1; // the label of a sure bin goes to the left, where there is room
      return [
        svg("path", {
          class: "interval",
          d: `M${x(sure)} ${y(low)}V${y(high)}M${x(sure) - 4} ${y(low)}h8M${x(sure) - 4} ${y(high)}h8`,
        }),
        svg("circle", { class: "share", cx: x(sure), cy: y(share), r: 4.5 }),
        label(String(n), {
          x: x(sure) + 8 * side,
          y: y(share) + (share > 0.95 ? 16 : -6),
          "text-anchor": side > 0 ? "start" : "end",
        }),
      ];
    });
    return svg(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": spoken(result) },
      ...ticks,
      svg("path", { class: "exact", d: `M${x(0)} ${y(0)}L${x(1)} ${y(1)}` }),
      ...bins,
      label("how sure you were", { x: x(0.5), y: height - 6, "text-anchor": "middle" }),
      label("how often right", {
        transform: `translate(12 ${y(0.5)}) rotate(-90)`,
        "text-anchor": "middle",
      }),
    );
  }

  const binName = ({ from, to }) =>
    from === 1
      ? "100 %"
      : `${Math.round(100 * from)} to ${to === 1 ? "under 100 %" : `under ${percent(to)}`}`;

  const spoken = ({ bins }) =>
    `Calibration: ${bins.map((bin) => `${percent(bin.sure)} sure, ${bin.good} of ${bin.n} right`).join("; ")}.`;

  function tabled({ bins }) {
    const head = ["you said", "on average", "answers", "right", "share", "95 % interval"];
    const row = (bin) => [
      percent(bin.sure),
      String(bin.n),
      String(bin.good),
      percent(bin.share),
      span(bin.interval),
    ];
    return el(
      "div",
      { class: "scrolls", tabindex: 0, role: "group", "aria-label": "Calibration as a table" },
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, ...head.map((name) => el("th", { scope: "col" }, name)))),
        el(
          "tbody",
          {},
          ...bins.map((bin) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, binName(bin)),
              ...row(bin).map((text) => el("td", {}, text)),
            ),
          ),
        ),
      ),
    );
  }

  LabReview.curve = curve;
})();
