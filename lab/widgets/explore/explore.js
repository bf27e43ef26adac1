// <lab-explore>: a measured grid whose parameters are controls. Its JSON comes from lab/widgets/explore/explore.py. Without JavaScript
// the figure and the table inside stay. Each dot was measured. Between the dots there is only theory.

(() => {
  // ---- The model and its sentences, without a page --------------------------------------------------------------

  /** Responses a second with 1…n connections, by exact MVA of a loop that computes and a wait without a queue (times in ms). */
  function mva(n, compute, wait) {
    const rates = [];
    let queueLength = 0;
    for (let i = 1; i <= n; i++) {
      const stay = compute * (1 + queueLength);
      const x = i / (stay + wait);
      queueLength = x * stay;
      rates.push(1000 * x);
    }
    return rates;
  }

  const limit = (compute) => (compute ? 1000 / compute : Number.POSITIVE_INFINITY);
  const upperBound = (n, compute, wait) => Math.min((1000 * n) / (compute + wait), limit(compute));

  const format = (value) => (Number.isFinite(value) ? LabNumbers.tidy(value) : "no");

  const joinWords = (all, last = "and") =>
    all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ${last} ${all.at(-1)}`;
  const plural = (n, noun) => `${n} ${noun}${String(n) === "1" ? "" : "s"}`;
  const unique = (all) => [...new Set(all)];
  const ascending = (all) => unique(all).sort((a, b) => a - b);
  const valuesOf = (cells, name) => ascending(cells.map((cell) => cell[name]));
  const median = (all) => {
    const ranked = [...all].sort((a, b) => a - b);
    const middle = ranked.length >> 1;
    return ranked.length % 2 ? ranked[middle] : (ranked[middle - 1] + ranked[middle]) / 2;
  };

  const REST_MS = 500;

  // Two views of the same trials: the throughput, or by Little's law the response time with n connections.
  const SHARE = {
    x: { label: "throughput (req/s)", of: (x) => x, name: "throughput", unit: "req/s" },
    stay: {
      label: "mean response time N/X (ms)",
      of: (x, n) => (1000 * n) / x,
      name: "stay",
      unit: "ms",
    },
  };

  /** The finding for a chosen waiting time and number of connections, in sentences. */
  function shareFinding({ total, cells }, { wait, n, view }) {
    const compute = total - wait;
    const { of, unit } = SHARE[view];
    const law = compute
      ? `The loop computes ${compute} ms for each request, so it handles at most ` +
        `${format(limit(compute))} req/s, and beyond ` +
        `${plural(format(total / compute), "connection")} (the knee) additional connections ` +
        "only wait."
      : "The loop computes nothing that this law counts, so each connection adds its share, " +
        "without a limit.";
    const ends = [mva(n, compute, wait).at(-1), upperBound(n, compute, wait)]
      .map((x) => of(x, n))
      .sort((a, b) => a - b);
    const [low, high] = ends.map(format);
    const expected = low === high ? low : `${low} to ${high}`;
    const theory = `With ${plural(n, "connection")} theory says ${expected} ${unit}`;
    const measured = cells.find((cell) => cell.wait === wait && cell.n === n);
    if (measured) {
      const values = measured.x.map((x) => format(of(x, n)));
      return `${law} ${theory}. We measured ${joinWords(values)} ${unit}.`;
    }
    const waits = valuesOf(cells, "wait");
    const missing = waits.includes(wait)
      ? "this was measured with " +
        `${joinWords(cells.filter((c) => c.wait === wait).map((c) => c.n))} connections, but ` +
        `not with ${n}`
      : `this was measured with ${joinWords(waits)} ms of waiting, but not with ${wait}, so ` +
        "the result is only theory";
    return `${law} ${theory}; ${missing}.`;
  }

  const SIZE = {
    throughput: { label: "throughput (req/s)", unit: "req/s", from: "throughput", of: (x) => x },
    rate: { label: "bytes (MB/s)", unit: "MB/s", from: "throughput", of: (x, b) => (x * b) / 1e6 },
    p50: { label: "median latency (ms)", unit: "ms", from: "p50", of: (x) => 1000 * x },
    p99: { label: "p99 latency (ms)", unit: "ms", from: "p99", of: (x) => 1000 * x },
  };

  /** The values of a cell in the unit of a metric. A trial with too few responses for a percentile has no value. */
  function sizeValues(data, cell, metric) {
    const { from, of } = SIZE[metric];
    const { bytes } = data.sizes[cell.size];
    return cell[from].map((x) => of(x, bytes)).filter(standing);
  }

  /** The difference of two arms at one size, in sentences. */
  function sizeFinding(data, { a, b, size, metric }) {
    const { unit, from } = SIZE[metric];
    const values = [a, b].map((arm) => {
      const cell = data.cells.find((candidate) => candidate.arm === arm && candidate.size === size);
      return sizeValues(data, cell, metric);
    });
    const load = data.connections ? `, ${plural(data.connections, "connection")}` : "";
    const head = `${data.sizes[size].name}${load}: `;
    if (values.some((all) => all.length === 0))
      return `${head}too few responses for this percentile of both.`;
    const each = [a, b].map((arm, i) => `${arm} ${format(median(values[i]))} ${unit}`).join(", ");
    if (a === b) return `${head}${each}.`;
    const ratioTexts = data.said[from][size];
    const medians = `${plural(values[0].length, "trial")} each, the medians: ${each}`;
    return `${head}${ratioTexts[`${a}/${b}`] ?? ratioTexts[`${b}/${a}`]}. Of ${medians}.`;
  }

  const standing = (value) => Number.isFinite(value) && value > 0;

  globalThis.LabExploreModel = { mva, bound: upperBound, shown: format, shareFinding, sizeFinding };
  if (typeof customElements === "undefined" || customElements.get("lab-explore")) return;

  // ---- Pieces of page ----------------------------------------------------------------------------------------------

  const { el, svg: draw, dataOf, afterParsing } = LabDom;
  let count = 0;

  const MARKS = [
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "M-4 -4h8v8h-8z",
    "M0 -5l5 9h-10z",
    "M0 -5.5l5 5.5l-5 5.5l-5 -5.5z",
    "M0 5l5 -9h-10z",
    "M-1.7 -5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
  ];
  const mark = (i, x, y, more = "") =>
    draw("path", {
      d: MARKS[i % 6],
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      class: `mark s${(i % 6) + 1} ${more}`,
    });

  /** A slider with its name, its value in words, its ticks, and a button on each side that moves it by one step. */
  function slider(name, { min, max, value, at, words, change, measured: measuredAt = at }) {
    const id = `lab-explore-${++count}`;
    // A screen reader reads out every change of an <output>, and the slider already says its value.
    const output = el("output", { for: id, "aria-live": "off" });
    // The flag always takes its room, visible or not, so that the slider does not move away from the thumb.
    const flag = el("span", { class: "flag", "aria-hidden": "true" }, "not measured");
    const input = el("input", { type: "range", id, min, max, value, step: 1, list: `${id}-at` });
    const tell = () => {
      const now = input.valueAsNumber;
      const hasTrial = measuredAt.includes(now);
      output.textContent = words(now);
      flag.style.visibility = hasTrial ? "hidden" : "visible";
      input.setAttribute("aria-valuetext", hasTrial ? words(now) : `${words(now)} (not measured)`);
      for (const [nudgeButton, end] of [
        [less, min],
        [more, max],
      ])
        nudgeButton.setAttribute("aria-disabled", String(now === end));
    };
    // The arrow keys do the same, so the buttons need no stops of the Tab key.
    const nudge = (by, sign, word) =>
      el(
        "button",
        {
          type: "button",
          class: "nudge",
          tabindex: -1,
          "aria-label": `${name}: ${word}`,
          onclick: () => {
            const before = input.valueAsNumber;
            input.valueAsNumber = Math.max(min, Math.min(max, before + by));
            if (input.valueAsNumber !== before) input.dispatchEvent(new Event("input"));
          },
        },
        sign,
      );
    const [less, more] = [nudge(-1, "−", "one less"), nudge(1, "+", "one more")];
    input.addEventListener("input", () => {
      tell();
      change(input.valueAsNumber);
    });
    tell();
    const places = el("datalist", { id: `${id}-at` }, ...at.map((v) => el("option", { value: v })));
    return el(
      "div",
      { class: "slide" },
      el("label", { for: id }, name),
      flag,
      output,
      el("span", { class: "rail" }, less, input, more),
      places,
    );
  }

  function choice(name, options, value, then) {
    const id = `lab-explore-${++count}`;
    const select = el(
      "select",
      { id, onchange: () => then(select.value) },
      ...options.map(([v, text]) => el("option", { value: v, selected: v === value }, text)),
    );
    return el("span", { class: "choice" }, el("label", { for: id }, name), " ", select);
  }

  /** Two logarithmic axes in real pixels. Returns the drawing, and functions that add to it. */
  function axes(width, { x, y }) {
    const height = Math.round(Math.min(390, Math.max(300, width * 0.56)));
    const [marginLeft, marginRight, marginTop, marginBottom] = [52, x.room ?? 16, 30, 44];
    const scale = ({ low, high }, from, to) => {
      const k = (to - from) / Math.log(high / low);
      return (v) => from + k * Math.log(v / low);
    };
    const px = scale(x, marginLeft, width - marginRight);
    const py = scale(y, height - marginBottom, marginTop);
    const whole = draw("svg", { role: "img", viewBox: `0 0 ${width} ${height}`, width, height });
    // The drawing has a name and a description, so a screen reader need not read out the ticks.
    const svg = draw("g", { "aria-hidden": "true" });
    const clip = `lab-explore-${++count}`;
    const inside = {
      x: marginLeft,
      y: marginTop,
      width: width - marginLeft - marginRight,
      height: height - marginTop - marginBottom,
    };
    whole.append(draw("clipPath", { id: clip }, draw("rect", inside)), svg);
    svg.append(draw("text", { x: 0, y: 14, class: "quiet" }, y.label));
    const middle = (marginLeft + width - marginRight) / 2;
    svg.append(
      draw("text", { x: middle, y: height - 6, class: "quiet", "text-anchor": "middle" }, x.label),
    );
    for (const t of LabAxes.ticks(y.low, y.high, { scale: "log", most: 9 })) {
      const at = py(t);
      svg.append(draw("path", { d: `M${marginLeft} ${at}H${width - marginRight}`, class: "grid" }));
      const text = { x: marginLeft - 8, y: at + 4, "text-anchor": "end" };
      svg.append(draw("text", text, t >= 1e4 ? `${t / 1e3}k` : String(t)));
    }
    for (const [v, name] of x.ticks)
      svg.append(
        draw("text", { x: px(v), y: height - marginBottom + 18, "text-anchor": "middle" }, name),
      );
    svg.append(
      draw("path", {
        d: `M${marginLeft} ${height - marginBottom}H${width - marginRight}`,
        class: "axis",
      }),
    );
    const line = (points, more) => {
      const d = points.map(
        ([a, b], i) => `${i ? "L" : "M"}${px(a).toFixed(1)} ${py(b).toFixed(1)}`,
      );
      svg.append(draw("path", { d: d.join(""), class: more, "clip-path": `url(#${clip})` }));
    };
    const dots = (i, v, values, more) => {
      values.filter(standing).forEach((value, k) => {
        svg.append(mark(i, px(v) + (k - (values.length - 1) / 2) * 2, py(value), more));
      });
    };
    /** Names next to their points, the lowest first. A name that would touch the one below moves up. */
    const names = (all) => {
      let above = height - marginBottom;
      for (const { text, at, v, more } of all.sort((a, b) => a.v - b.v)) {
        above = Math.min(py(v) + 4, above - 14);
        svg.append(draw("text", { x: px(at) + 12, y: above, class: more }, text));
      }
    };
    const rule = (v) =>
      svg.append(
        draw("path", { d: `M${px(v)} ${marginTop}V${height - marginBottom}`, class: "rule" }),
      );
    return { svg: whole, line, dots, names, rule };
  }

  /** The ends of a logarithmic axis. A window without responses has no place on it. */
  function range(values, room = 1.25) {
    const positive = values.filter(standing);
    if (positive.length === 0) return { low: 1, high: 10 };
    return { low: Math.min(...positive) / room, high: Math.max(...positive) * room };
  }

  // ---- Of 50 ms, how many wait -------------------------------------------------------------------------------------

  const shareView = {
    title: "Throughput by number of connections, for a share of waiting",
    start({ cells }) {
      const known = (name, wish) =>
        cells.some((cell) => cell[name] === wish) ? wish : cells[0][name];
      return { wait: known("wait", 45), n: known("n", 10), view: "x" };
    },
    finding: shareFinding,

    controls({ total, cells }, state, then) {
      const waits = valuesOf(cells, "wait");
      const ns = valuesOf(cells, "n");
      const bar = el("div", { class: "split", "aria-hidden": "true" });
      const split = () => {
        const parts = [
          ["computes", total - state.wait],
          ["waits", state.wait],
        ];
        bar.replaceChildren(
          ...parts
            .filter(([, ms]) => ms > 0)
            .map(([what, ms]) =>
              el("span", { class: what, style: `flex-grow:${ms}` }, el("b", {}, `${ms}`)),
            ),
        );
      };
      split();
      return [
        slider(`Of ${total} ms, waiting`, {
          min: 0,
          max: total,
          value: state.wait,
          at: waits,
          words: (v) => `${v} ms wait, ${total - v} ms compute`,
          change: (v) => {
            state.wait = v;
            split();
            then();
          },
        }),
        bar,
        slider("Connections", {
          min: 1,
          max: Math.max(...ns),
          value: state.n,
          at: ns,
          words: (v) => String(v),
          change: (v) => {
            state.n = v;
            then();
          },
        }),
        choice(
          "Show",
          [
            ["x", "throughput"],
            ["stay", "mean response time"],
          ],
          state.view,
          (v) => {
            state.view = v;
            then();
          },
        ),
      ];
    },

    draw(data, state, width) {
      const { total, cells, recorded: recordedCells = [] } = data;
      const { label, of } = SHARE[state.view];
      const ns = valuesOf(cells, "n");
      const waits = valuesOf(cells, "wait");
      const most = Math.max(...ns);
      const ys = [...cells, ...recordedCells].flatMap((c) => c.x.map((x) => of(x, c.n)));
      const x = { low: 0.9, high: most * 1.1, label: "connections", room: 62 };
      x.ticks = ns.map((n) => [n, n]);
      const { svg, line, dots, names, rule } = axes(width, { x, y: { ...range(ys), label } });
      const compute = total - state.wait;
      const counts = Array.from({ length: most }, (_, i) => i + 1);
      const low = mva(most, compute, state.wait).map((v, i) => [i + 1, of(v, i + 1)]);
      // The corner of the bound may lie between two whole numbers of connections.
      const corner = compute ? total / compute : 1;
      const whole = ascending(corner < most ? [...counts, corner] : counts);
      const high = whole.map((n) => [n, of(upperBound(n, compute, state.wait), n)]);
      line([...low, ...high.reverse()], "band");
      line(low, "edge");
      line(high, "edge");
      rule(state.n);
      for (const cell of recordedCells.filter((c) => c.wait === state.wait))
        dots(
          waits.indexOf(cell.wait),
          cell.n,
          cell.x.map((v) => of(v, cell.n)),
          "recorded",
        );
      for (const near of [false, true])
        for (const cell of cells.filter((c) => (c.wait === state.wait) === near))
          dots(
            waits.indexOf(cell.wait),
            cell.n,
            cell.x.map((v) => of(v, cell.n)),
            near ? "" : "far",
          );
      const labels = waits.map((wait) => {
        const last = cells.findLast((c) => c.wait === wait);
        const more = wait === state.wait ? "name" : "quiet";
        return { text: `${wait} ms`, at: last.n, v: of(median(last.x), last.n), more };
      });
      names(labels.filter(({ v }) => standing(v)));
      return svg;
    },

    key({ recorded: recordedCells }) {
      const theory = el("span", { class: "sample band" });
      const grey = recordedCells ? " Hollow dots are from the recorded run." : "";
      return [
        theory,
        " theory, from MVA to the bound. Each dot is a trial. Grey dots have the waiting " +
          `time that is written next to them.${grey}`,
      ];
    },
  };

  // ---- How many bytes, sent as what --------------------------------------------------------------------------------

  const sizeView = {
    title: "Kinds of body by size",
    start: ({ of: [a, b], sizes }) => ({
      a,
      b,
      size: Math.min(3, sizes.length - 1),
      metric: "throughput",
    }),
    finding: sizeFinding,

    controls({ arms, sizes }, state, then) {
      const set = (name) => (value) => {
        state[name] = value;
        then();
      };
      const names = arms.map((arm) => [arm, arm]);
      const metrics = Object.entries(SIZE).map(([key, { label }]) => [key, label]);
      return [
        el(
          "p",
          { class: "choices" },
          choice("Compare", names, state.a, set("a")),
          choice("with", names, state.b, set("b")),
          choice("Show", metrics, state.metric, set("metric")),
        ),
        slider("Size of the body", {
          min: 0,
          max: sizes.length - 1,
          value: state.size,
          at: sizes.map((_, i) => i),
          words: (i) => sizes[i].name,
          change: set("size"),
        }),
      ];
    },

    draw(data, state, width) {
      const { arms, sizes, cells, recorded: recordedCells = [] } = data;
      const { label } = SIZE[state.metric];
      const values = (cell) => sizeValues(data, cell, state.metric);
      const at = (cell) => sizes[cell.size].bytes;
      const ends = sizes.map(({ bytes }) => bytes);
      const short = (name) => name.replace(" byte", "\u00a0B");
      // As many names as fit next to each other, the smallest and the largest sizes first.
      const wide = Math.log(ends.at(-1) / ends[0]) / (width - 100);
      const tickSizes = [];
      for (const size of [sizes[0], ...sizes.slice(1).reverse()]) {
        const apart = (other) => Math.abs(Math.log(other.bytes / size.bytes)) / wide;
        if (tickSizes.every((other) => apart(other) >= 58)) tickSizes.push(size);
      }
      const x = {
        low: ends[0] / 2,
        high: ends.at(-1) * 2,
        label: "size of the body",
        ticks: tickSizes.map(({ bytes, name }) => [bytes, short(name)]),
      };
      const ys = [...cells, ...recordedCells].flatMap(values);
      const { svg, line, dots, rule } = axes(width, { x, y: { ...range(ys), label } });
      rule(ends[state.size]);
      const chosen = (arm) => arm === state.a || arm === state.b;
      for (const near of [false, true])
        for (const [i, arm] of arms.entries()) {
          if (chosen(arm) !== near) continue;
          const armCells = cells.filter((cell) => cell.arm === arm && values(cell).length > 0);
          const look = near ? `line s${(i % 6) + 1}` : "line far";
          line(
            armCells.map((cell) => [at(cell), median(values(cell))]),
            look,
          );
          if (near)
            for (const cell of recordedCells.filter((c) => c.arm === arm))
              dots(i, at(cell), values(cell), "recorded");
          for (const cell of armCells) dots(i, at(cell), values(cell), near ? "" : "far");
        }
      return svg;
    },

    key({ arms, recorded: recordedCells }, state) {
      const samples = arms.map((arm, i) => {
        const far = arm === state.a || arm === state.b ? "" : "far";
        const sample = draw("svg", {
          viewBox: "-7 -7 14 14",
          width: 14,
          height: 14,
          "aria-hidden": "true",
        });
        sample.append(mark(i, 0, 0, far));
        return el("span", { class: "arm" }, sample, ` ${arm}`);
      });
      const grey = recordedCells ? ", and hollow dots are from the recorded run" : "";
      return [
        ...samples,
        `Each dot is a trial${grey}. Lines join medians and say nothing about the values in between.`,
      ];
    },
  };

  // ---- The element -------------------------------------------------------------------------------------------------

  const VIEWS = { share: shareView, size: sizeView };

  class Explore extends HTMLElement {
    connectedCallback() {
      if (this.data) this.watch();
      else afterParsing(() => this.begin());
    }

    disconnectedCallback() {
      this.size?.disconnect();
    }

    begin() {
      if (this.data) return;
      const figure = this.querySelector(":scope > figure");
      const data = dataOf(this);
      const view = VIEWS[data?.kind];
      if (!figure || !view) return; // the figure inside stays
      this.data = data;
      this.view = view;
      this.state = view.start(data);
      this.id ||= `lab-explore-${++count}`;
      // The sentence is visible at once, and read out when the slider rests. So ten steps make one sentence for the ear, not ten.
      this.said = el("p", { class: "finding", role: "status", id: `${this.id}-said` });
      this.seen = el("p", { class: "finding passing", "aria-hidden": "true", hidden: true });
      this.stage = el("div", { class: "drawing" });
      this.keys = el("p", { class: "key" });
      for (const drawing of figure.querySelectorAll(":scope > svg")) drawing.style.display = "none";
      const stamps = data.stamps?.length
        ? el("p", { class: "stamps" }, data.stamps.join(" · "))
        : "";
      figure.prepend(this.stage, this.keys, stamps);
      const form = el("div", { class: "knobs", role: "group", "aria-label": view.title });
      form.append(...view.controls(data, this.state, () => this.show()));
      figure.before(form, this.said, this.seen);
      this.watch();
      this.show();
    }

    watch() {
      this.size = new ResizeObserver(() => this.draw());
      this.size.observe(this.stage);
    }

    show() {
      const text = this.view.finding(this.data, this.state).replaceAll(" %", "\u00a0%");
      this.tell(text);
      this.keys.replaceChildren(...this.view.key(this.data, this.state));
      this.draw(true);
    }

    tell(text) {
      clearTimeout(this.resting);
      const settle = () => {
        this.seen.hidden = true;
        this.said.classList.remove("vh");
        if (text !== this.said.textContent) this.said.textContent = text;
      };
      if (!this.said.textContent) return settle(); // the first sentence: the reader has moved nothing yet
      this.seen.textContent = text;
      this.seen.hidden = false;
      this.said.classList.add("vh");
      this.resting = setTimeout(settle, REST_MS);
    }

    draw(changed = false) {
      const width = Math.max(280, Math.round(this.stage.clientWidth));
      if (!changed && width === this.width) return;
      this.width = width;
      const svg = this.view.draw(this.data, this.state, width);
      const title = `${this.id}-t`;
      svg.setAttribute("aria-labelledby", title);
      svg.setAttribute("aria-describedby", this.said.id);
      svg.prepend(draw("title", { id: title }, this.view.title));
      this.stage.replaceChildren(svg);
    }
  }

  customElements.define("lab-explore", Explore);
})();
