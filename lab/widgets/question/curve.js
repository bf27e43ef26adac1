// A curve that a reader draws before the measured one is shown: a point at each place of x, moved with a finger, a mouse or arrow keys,
// or written as numbers. For question.js, which is loaded after it; x stands in equal steps, y between two ends. Where x has no order,
// as servers have none, no line joins the points: each has a row of its own, and a slider.

(() => {
  const ENOUGH = 3 / 4; // of the points, near the measured ones
  const STEPS = 60; // an arrow key moves a point by one

  // ---- What a curve is worth: no page needed ---------------------------------------------------------------

  /** As a single number is (question.js comes after this file); on a linear axis a step of the keys, too, which nobody can draw. */
  const near = ({ within = 1, y, scale }, value, right) =>
    (y && scale !== "log" && Math.abs(value - right) <= (y[1] - y[0]) / STEPS) ||
    LabQuestionModel.near(value, right, within);

  /** At how many of its points a curve is near the measured one. */
  const hits = (question, answer) =>
    answer.filter((value, i) => near(question, value, question.right[i])).length;

  const isRight = (question, answer) => hits(question, answer) >= ENOUGH * question.x.length;

  const fits = ({ x }, answer) =>
    Array.isArray(answer) && answer.length === x.length && answer.every(Number.isFinite);

  /** What places a value between 0 and 1 on the axis, and its inverse. */
  function axis({ y: [low, high], scale }) {
    const [to, from] = scale === "log" ? [Math.log, Math.exp] : [Number, Number];
    const [a, b] = [to(low), to(high)];
    // Coarse, as a drawn value is, and finer than a step of the keys.
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

  /** Some five of them: of more than two decades only their ends. */
  const ticks = ({ y: [low, high], scale }) =>
    LabAxes.ticks(low, high, { scale, steps: high / low > 100 ? [[1]] : [[1, 2, 5]] });

  globalThis.LabCurve = { isRight, fits, hits, axis, ticks };
  if (typeof document === "undefined") return;

  // ---- Drawn ------------------------------------------------------------------------------------------------------

  const { el, svg } = LabDom;
  const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 230, 48, 14, 22, 40];
  let count = 0;

  const short = (value) =>
    Math.abs(value) >= 1e6
      ? `${LabNumbers.bare(value / 1e6)}M`
      : Math.abs(value) >= 1e4
        ? `${LabNumbers.bare(value / 1e3)}k`
        : LabNumbers.tidy(value);

  const text = (html) => el("span", { html }).textContent;

  /** The empty axes, and what places a point on them. */
  function paper(question, attributes) {
    const { x, x_name: xName, unit } = question;
    const { at, value } = axis(question);
    const wide = (WIDTH - LEFT - RIGHT) / x.length;
    const px = (i) => LEFT + wide * (i + 0.5);
    const py = (v) => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * at(v);
    const line = (d, name) => svg("path", { d, class: name });
    const word = (content, more) => svg("text", more, content);
    const named = Math.ceil((Math.max(...x.map((one) => one.length)) * 6.4 + 6) / wide);
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...attributes });
    drawing.append(
      svg(
        "g",
        { "aria-hidden": "true" },
        word(text(unit), { x: 0, y: 12 }),
        ...ticks(question).flatMap((v) => [
          line(`M${LEFT} ${py(v)}H${WIDTH - RIGHT}`, "grid"),
          word(short(v), { x: LEFT - 6, y: py(v) + 4, "text-anchor": "end" }),
        ]),
        line(`M${LEFT} ${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`, "edge"),
        ...x.flatMap((name, i) =>
          (x.length - 1 - i) % named
            ? []
            : [word(name, { x: px(i), y: HEIGHT - BOTTOM + 15, "text-anchor": "middle" })],
        ),
        word(text(xName), {
          x: LEFT + (wide * x.length) / 2,
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
      const i = Math.max(0, Math.min(x.length - 1, Math.floor((u - LEFT) / wide)));
      return { i, value: value((HEIGHT - BOTTOM - v) / (HEIGHT - BOTTOM - TOP)) };
    };
    return { drawing, line, px, py, curve, place };
  }

  /** A slider for each place, below each other; `read` as that of `pad`. */
  function sliders(question, answer) {
    const { x, unit } = question;
    const { at, value } = axis(question);
    const moved = x.map(() => Boolean(answer));
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
        const told = `${LabNumbers.halfUp(values[i])} ${text(unit)}`;
        output.textContent = moved[i] ? LabNumbers.halfUp(values[i]) : "?";
        input.setAttribute("aria-valuetext", moved[i] ? told : "not moved yet");
      };
      const set = () => {
        values[i] = value(input.valueAsNumber / STEPS);
        moved[i] = true;
        tell();
      };
      input.addEventListener("input", set);
      // The middle may be meant, too: whoever presses there has said so.
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
    return { element, read: () => whole(question, moved, values) };
  }

  /** The values, or what is missing, in a sentence. */
  const whole = ({ x, rows }, moved, values) => {
    const open = x.filter((_, i) => !moved[i]);
    if (open.length === 0) return values;
    return rows
      ? `Move each slider first. Not moved yet: ${open.join("; ")}.`
      : `Draw your curve first: it has no point at ${open.join(", ")}.`;
  };

  /** What a reader draws on; `read` returns the curve, or what is missing. */
  function pad(question, answer, parseNumber) {
    if (question.rows) return sliders(question, answer);
    const { x, unit, x_name: xName } = question;
    const { at, value } = axis(question);
    const values = answer ? [...answer] : x.map(() => value(0.5));
    const moved = x.map(() => Boolean(answer));
    const name = `lab-curve-${++count}`;
    const { drawing, line, px, py, curve, place } = paper(question, {
      role: "group",
      "aria-label": "Your curve",
      class: "pad",
    });
    const path = line("", "mine");
    const told = (i) => `${LabNumbers.halfUp(values[i])} ${text(unit)}`;
    const where = (i) => [text(xName), x[i]].filter(Boolean).join(" ");
    const points = x.map((_, i) =>
      svg("circle", {
        r: 7,
        cx: px(i),
        class: "point",
        role: "slider",
        "aria-label": where(i),
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
          const given = parseNumber(inputs[i].value);
          if (given === null) inputs[i].value = moved[i] ? String(values[i]) : "";
          else set(i, given);
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
        point.setAttribute("aria-valuetext", moved[i] ? told(i) : `${told(i)}, not moved yet`);
        point.classList.toggle("moved", moved[i]);
        if (document.activeElement !== inputs[i]) inputs[i].value = moved[i] ? values[i] : "";
      });
    };
    const set = (i, given) => {
      values[i] = given;
      moved[i] = true;
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
      const here = place(event);
      const from = last ?? here;
      // A fast stroke passes over places between two events.
      const [low, high] = [Math.min(from.i, here.i), Math.max(from.i, here.i)];
      for (let i = low; i <= high; i++)
        if (i !== from.i || i === here.i) {
          const share = here.i === from.i ? 1 : (i - from.i) / (here.i - from.i);
          set(i, value(at(from.value) + share * (at(here.value) - at(from.value))));
        }
      last = here;
    };
    const area = svg("rect", {
      class: "area",
      x: LEFT,
      y: TOP - 8,
      width: WIDTH - LEFT - RIGHT,
      height: HEIGHT - BOTTOM - TOP + 16,
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
      el("li", {}, el("label", { for: inputs[i].id }, where(i)), " ", inputs[i]),
    );
    const element = el(
      "div",
      { class: "curve" },
      el(
        "p",
        { class: "hint" },
        "Draw across the axes. With keys: left and right choose a point, up and down move it.",
      ),
      drawing,
      el(
        "details",
        {},
        el("summary", {}, "Write numbers instead"),
        el("ul", { "aria-label": text(unit) }, ...rows),
      ),
    );
    return { element, read: () => whole(question, moved, values) };
  }

  /** A curve in a line. */
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
      "aria-label": "The measured curve and yours; their numbers are in the table below",
    });
    const { right } = question;
    if (answer) drawing.append(line(curve(answer), "mine"));
    drawing.append(
      line(curve(right), "right"),
      ...right.map((v, i) => svg("circle", { r: 4, cx: px(i), cy: py(v), class: "measured" })),
    );
    return drawing;
  }

  /** A row for each place: what was measured as a bar, what the reader said as a ring. The table below has the numbers. */
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

  /** The reader's curve, if there is one, and the measured one over it, with how near it came. */
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
                ...head.map((one) => (one ? el("th", { scope: "col" }, one) : el("td"))),
              ),
            ),
            el(
              "tbody",
              {},
              ...rows.map(([first, ...rest]) =>
                el(
                  "tr",
                  {},
                  el("th", { scope: "row" }, first),
                  ...rest.map((one) => el("td", {}, one)),
                ),
              ),
            ),
          ),
        ),
      ),
    ];
  }

  /** Where a curve is farthest from the measured one, in words; "" if it is near everywhere. */
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
