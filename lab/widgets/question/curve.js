// A curve that a reader draws before the page shows the measured curve. It has a point at each x. The reader moves the points with a
// finger, a mouse or the arrow keys, or writes numbers. The places of x have equal distances, and y has two ends. If x has no order,
// as with servers, no line joins the points, and each point has a row with a slider. question.js, which is loaded later, uses this.

(() => {
  const ENOUGH = 3 / 4; // the share of points that must be near the measured ones
  const STEPS = 60; // an arrow key moves a point by one

  // ---- Is a curve right? No page needed --------------------------------------------------------------------

  /** Whether a point is near the measured one: near as a number is (question.js is loaded later), or, on a linear axis, within one
   * step of the arrow keys. */
  const near = ({ within = 1, y, scale }, value, right) =>
    (y && scale !== "log" && Math.abs(value - right) <= (y[1] - y[0]) / STEPS) ||
    LabQuestionModel.near(value, right, within);

  /** The number of points at which a curve is near the measured one. */
  const hits = (question, answer) =>
    answer.filter((value, i) => near(question, value, question.right[i])).length;

  const isRight = (question, answer) => hits(question, answer) >= ENOUGH * question.x.length;

  const fits = ({ x }, answer) =>
    Array.isArray(answer) && answer.length === x.length && answer.every(Number.isFinite);

  /** The position of a value on the axis, from 0 to 1, and the inverse function. */
  function axis({ y: [low, high], scale }) {
    const [to, from] = scale === "log" ? [Math.log, Math.exp] : [Number, Number];
    const [a, b] = [to(low), to(high)];
    // The rounding is as coarse as a drawing, and finer than a step of the arrow keys.
    const unit = 10 ** Math.floor(Math.log10((high - low) / STEPS));
    const round = (value) =>
      scale === "log"
        ? Number(value.toPrecision(2))
        : Number((Math.round(value / unit) * unit).toPrecision(12));
    return {
      at: (value) =>
        scale === "log" && value <= 0 ? 0 : Math.max(0, Math.min(1, (to(value) - a) / (b - a))),
      value: (at) => round(from(a + (b - a) * Math.max(0, Math.min(1, at)))),
    };
  }

  /** About five ticks. An axis of more than two decades has a tick only at each power of ten. */
  const ticks = ({ y: [low, high], scale }) =>
    LabAxes.ticks(low, high, { scale, steps: high / low > 100 ? [[1]] : [[1, 2, 5]] });

  globalThis.LabCurve = { isRight, fits, hits, axis, ticks };
  if (typeof document === "undefined") return;

  // ---- On a page --------------------------------------------------------------------------------------------------

  const { el, svg } = LabDom;
  const [WIDTH, HEIGHT, MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM] = [
    340, 230, 48, 14, 22, 40,
  ];
  let count = 0;

  const short = (value) =>
    Math.abs(value) >= 1e6
      ? `${LabNumbers.bare(value / 1e6)}M`
      : Math.abs(value) >= 1e4
        ? `${LabNumbers.bare(value / 1e3)}k`
        : LabNumbers.tidy(value);

  const text = (html) => el("span", { html }).textContent;

  /** The empty axes, and the functions that place a point on them. */
  function paper(question, attributes) {
    const { x, x_name: xName, unit } = question;
    const { at, value } = axis(question);
    const wide = (WIDTH - MARGIN_LEFT - MARGIN_RIGHT) / x.length;
    const px = (i) => MARGIN_LEFT + wide * (i + 0.5);
    const py = (v) => HEIGHT - MARGIN_BOTTOM - (HEIGHT - MARGIN_BOTTOM - MARGIN_TOP) * at(v);
    const line = (d, name) => svg("path", { d, class: name });
    const word = (content, more) => svg("text", more, content);
    const labelStep = Math.ceil((Math.max(...x.map((label) => label.length)) * 6.4 + 6) / wide);
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...attributes });
    drawing.append(
      svg(
        "g",
        { "aria-hidden": "true" },
        word(text(unit), { x: 0, y: 12 }),
        ...ticks(question).flatMap((v) => [
          line(`M${MARGIN_LEFT} ${py(v)}H${WIDTH - MARGIN_RIGHT}`, "grid"),
          word(short(v), { x: MARGIN_LEFT - 6, y: py(v) + 4, "text-anchor": "end" }),
        ]),
        line(`M${MARGIN_LEFT} ${HEIGHT - MARGIN_BOTTOM}H${WIDTH - MARGIN_RIGHT}`, "edge"),
        ...x.flatMap((name, i) =>
          (x.length - 1 - i) % labelStep
            ? []
            : [word(name, { x: px(i), y: HEIGHT - MARGIN_BOTTOM + 15, "text-anchor": "middle" })],
        ),
        word(text(xName), {
          x: MARGIN_LEFT + (wide * x.length) / 2,
          y: HEIGHT - 6,
          "text-anchor": "middle",
        }),
      ),
    );
    const curve = (values) =>
      values.map((v, i) => `${i ? "L" : "M"}${px(i).toFixed(1)} ${py(v).toFixed(1)}`).join("");
    const place = (event) => {
      const box = drawing.getBoundingClientRect();
      const [u, v] = [event.clientX - box.x, event.clientY - box.y].map(
        (length) => (length * WIDTH) / box.width,
      );
      const i = Math.max(0, Math.min(x.length - 1, Math.floor((u - MARGIN_LEFT) / wide)));
      return {
        i,
        value: value((HEIGHT - MARGIN_BOTTOM - v) / (HEIGHT - MARGIN_BOTTOM - MARGIN_TOP)),
      };
    };
    return { drawing, line, px, py, curve, place };
  }

  /** One slider below another, one for each place. `read` is as in `pad`. */
  function sliders(question, answer) {
    const { x, unit } = question;
    const { at, value } = axis(question);
    const isSet = x.map(() => Boolean(answer));
    const values = answer ? [...answer] : x.map(() => value(0.5));
    const name = `lab-curve-${++count}`;
    const rows = x.map((place, i) => {
      const output = el("output", { for: `${name}-${i}`, "aria-live": "off" });
      const input = el("input", {
        type: "range",
        id: `${name}-${i}`,
        min: 0,
        max: STEPS,
        value: Math.round(at(values[i]) * STEPS),
      });
      const tell = () => {
        const valueText = `${LabNumbers.halfUp(values[i])} ${text(unit)}`;
        output.textContent = isSet[i] ? LabNumbers.halfUp(values[i]) : "?";
        input.setAttribute("aria-valuetext", isSet[i] ? valueText : "not moved yet");
      };
      const set = () => {
        values[i] = value(input.valueAsNumber / STEPS);
        isSet[i] = true;
        tell();
      };
      input.addEventListener("input", set);
      // A reader may mean the middle. A click that does not move the slider counts as an answer.
      input.addEventListener("click", set);
      tell();
      return el("li", {}, el("label", { for: input.id }, place), input, output);
    });
    const element = el(
      "div",
      { class: "curve rows" },
      el("p", { class: "hint" }, `Move each of the ${x.length} sliders: ${text(unit)}.`),
      el("ul", { "aria-label": text(unit) }, ...rows),
    );
    return { element, read: () => whole(question, isSet, values) };
  }

  /** The values, or a sentence that says which are missing. */
  const whole = ({ x, rows }, isSet, values) => {
    const open = x.filter((_, i) => !isSet[i]);
    if (open.length === 0) return values;
    return rows
      ? `Move each slider first. Not moved yet: ${open.join("; ")}.`
      : `Draw your curve first. It has no point at ${open.join(", ")}.`;
  };

  /** The axes that a reader draws on. `read` returns the curve, or a sentence that says which points are missing. */
  function pad(question, answer, parseNumber) {
    if (question.rows) return sliders(question, answer);
    const { x, unit, x_name: xName } = question;
    const { at, value } = axis(question);
    const values = answer ? [...answer] : x.map(() => value(0.5));
    const isSet = x.map(() => Boolean(answer));
    const name = `lab-curve-${++count}`;
    const { drawing, line, px, py, curve, place } = paper(question, {
      role: "group",
      "aria-label": "Your curve",
      class: "pad",
    });
    const path = line("", "mine");
    const pointText = (i) => `${LabNumbers.halfUp(values[i])} ${text(unit)}`;
    const pointName = (i) => [text(xName), x[i]].filter(Boolean).join(" ");
    const points = x.map((_, i) =>
      svg("circle", {
        r: 7,
        cx: px(i),
        class: "point",
        role: "slider",
        "aria-label": pointName(i),
        "aria-orientation": "vertical",
        "aria-valuemin": question.y[0],
        "aria-valuemax": question.y[1],
        onkeydown: (event) => key(event, i),
        onfocus: () => rove(i),
      }),
    );
    const inputs = x.map((_, i) =>
      el("input", {
        type: "text",
        inputmode: "decimal",
        autocomplete: "off",
        size: 8,
        id: `${name}-${i}`,
        onchange: () => {
          const number = parseNumber(inputs[i].value);
          // On an axis without negative numbers there is no place for one.
          if (number === null || (number < 0 && question.y[0] >= 0))
            inputs[i].value = isSet[i] ? String(values[i]) : "";
          else set(i, number);
        },
      }),
    );
    const rove = (i) => {
      points.forEach((point, k) => {
        point.setAttribute("tabindex", k === i ? 0 : -1);
      });
    };
    const draw = () => {
      path.setAttribute("d", curve(values));
      points.forEach((point, i) => {
        point.setAttribute("cy", py(values[i]));
        point.setAttribute("aria-valuenow", values[i]);
        point.setAttribute(
          "aria-valuetext",
          isSet[i] ? pointText(i) : `${pointText(i)}, not moved yet`,
        );
        point.classList.toggle("moved", isSet[i]);
        if (document.activeElement !== inputs[i]) inputs[i].value = isSet[i] ? values[i] : "";
      });
    };
    const set = (i, number) => {
      values[i] = number;
      isSet[i] = true;
      draw();
    };
    const key = (event, i) => {
      const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      const to = { Home: 0, End: 1 }[event.key];
      const next = { ArrowRight: i + 1, ArrowLeft: i - 1 }[event.key];
      if (by === undefined && to === undefined && next === undefined) return;
      event.preventDefault();
      if (next !== undefined) points[next]?.focus();
      else set(i, value(to ?? at(values[i]) + by / STEPS));
    };
    let last = null;
    const follow = (event) => {
      if (last === null && event.type !== "pointerdown") return;
      const target = place(event);
      const from = last ?? target;
      // Between two events, a fast stroke may pass over several places.
      const [low, high] = [Math.min(from.i, target.i), Math.max(from.i, target.i)];
      for (let i = low; i <= high; i++)
        if (i !== from.i || i === target.i) {
          const share = target.i === from.i ? 1 : (i - from.i) / (target.i - from.i);
          set(i, value(at(from.value) + share * (at(target.value) - at(from.value))));
        }
      last = target;
    };
    const area = svg("rect", {
      class: "area",
      x: MARGIN_LEFT,
      y: MARGIN_TOP - 8,
      width: WIDTH - MARGIN_LEFT - MARGIN_RIGHT,
      height: HEIGHT - MARGIN_BOTTOM - MARGIN_TOP + 16,
    });
    drawing.prepend(area);
    drawing.append(path, ...points);
    drawing.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      drawing.setPointerCapture(event.pointerId);
      follow(event);
      points[last.i].focus();
    });
    drawing.addEventListener("pointermove", follow);
    for (const over of ["pointerup", "pointercancel"])
      drawing.addEventListener(over, () => {
        last = null;
      });
    rove(0);
    draw();
    const rows = x.map((_, i) =>
      el("li", {}, el("label", { for: inputs[i].id }, pointName(i)), " ", inputs[i]),
    );
    const element = el(
      "div",
      { class: "curve" },
      el(
        "p",
        { class: "hint" },
        "Draw across the axes. With keys, left and right choose a point, and up and down move it.",
      ),
      drawing,
      el(
        "details",
        {},
        el("summary", {}, "Write numbers instead"),
        el("ul", { "aria-label": text(unit) }, ...rows),
      ),
    );
    return { element, read: () => whole(question, isSet, values) };
  }

  /** A curve as a line of text. */
  function said({ unit, x, x_name: xName, rows }, answer) {
    if (rows) {
      const each = answer.flatMap((value, i) => [
        `${i ? "; " : ""}${x[i]} `,
        el("strong", {}, LabNumbers.halfUp(value)),
      ]);
      return [...each, " ", el("span", { html: unit })];
    }
    const numbers = answer.map((value) => LabNumbers.halfUp(value)).join(", ");
    return [
      el("strong", {}, numbers),
      " ",
      el("span", { html: unit }),
      " (at ",
      el("span", { html: xName }),
      ` ${x.join(", ")})`,
    ];
  }

  /** Both curves on one pair of axes. */
  function joined(question, answer) {
    const { drawing, line, px, py, curve } = paper(question, {
      role: "img",
      "aria-label": "The measured curve and yours, with their numbers in the table below",
    });
    const { right } = question;
    if (answer) drawing.append(line(curve(answer), "mine"));
    drawing.append(
      line(curve(right), "right"),
      ...right.map((v, i) => svg("circle", { r: 4, cx: px(i), cy: py(v), class: "measured" })),
    );
    return drawing;
  }

  /** A row for each place, with the measured value as a bar and the answer as a ring. The table below has the numbers. */
  function beside(question, answer) {
    const { at } = axis(question);
    const { x, right } = question;
    const rows = x.map((place, i) =>
      el(
        "li",
        {},
        el("span", {}, place),
        el(
          "span",
          { class: "track", style: `--size: ${at(right[i])}` },
          answer ? el("i", { style: `--at: ${at(answer[i])}` }) : "",
        ),
      ),
    );
    return el("ul", { class: "tracks", "aria-hidden": "true" }, ...rows);
  }

  /** The measured curve over the reader's curve (if there is one), and at how many points they are near. */
  function compared(question, answer) {
    const { x, right, within = 1 } = question;
    const ends = [...question.y, ...right, ...(answer ?? [])].filter(
      (value) => question.scale !== "log" || value > 0,
    );
    const wider = { ...question, y: [Math.min(...ends), Math.max(...ends)] };
    const drawing = question.rows ? beside(wider, answer) : joined(wider, answer);
    const head = ["", ...(answer ? ["yours"] : []), "measured", ...(answer ? ["near"] : [])];
    const rows = x.map((name, i) => [
      name,
      ...(answer ? [LabNumbers.halfUp(answer[i])] : []),
      LabNumbers.tidy(right[i]),
      ...(answer ? [near(question, answer[i], right[i]) ? "✓" : "✗"] : []),
    ]);
    return [
      el(
        "div",
        { class: "curve" },
        drawing,
        el(
          "p",
          { class: "hint" },
          answer
            ? `${question.rows ? "Yours are the rings, the measured ones the bars." : "Yours is dashed, the measured one solid."} Near, by a factor of ${within}, at ${hits(question, answer)} of ${x.length} points${worst(question, answer)}.`
            : question.rows
              ? "What was measured."
              : "The measured curve.",
        ),
        el(
          "details",
          {},
          el("summary", {}, "As a table"),
          el(
            "table",
            {},
            el(
              "thead",
              {},
              el(
                "tr",
                {},
                ...head.map((title) => (title ? el("th", { scope: "col" }, title) : el("td"))),
              ),
            ),
            el(
              "tbody",
              {},
              ...rows.map(([first, ...cells]) =>
                el(
                  "tr",
                  {},
                  el("th", { scope: "row" }, first),
                  ...cells.map((cell) => el("td", {}, cell)),
                ),
              ),
            ),
          ),
        ),
      ),
    ];
  }

  /** The point at which a curve is farthest from the measured one, in words; "" if all points are near. */
  function worst(question, answer) {
    const { x, right } = question;
    const off = right.map((value, i) => {
      if (near(question, answer[i], value)) return 0;
      const ratio = Math.abs(answer[i] / value);
      return Number.isFinite(ratio) && ratio > 0 ? Math.abs(Math.log(ratio)) : Infinity;
    });
    const most = Math.max(...off);
    if (most === 0) return "";
    const i = off.indexOf(most);
    const [mine, measured] = [LabNumbers.halfUp(answer[i]), LabNumbers.tidy(right[i])];
    return `; farthest off at ${x[i]}: you ${question.rows ? "said" : "drew"} ${mine}, it was ${measured}`;
  }

  Object.assign(globalThis.LabCurve, { pad, said, compared });
})();
