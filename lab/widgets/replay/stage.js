// The drawing of one step of a replay: the program, its output, the ring of phases, the call stack, and everything that waits.

(() => {
  if (typeof customElements === "undefined" || customElements.get("loop-replay")) return;

  const { el, spokenOnly } = LabDom;
  const { PHASES, CHIPS_SHOWN, ms, lineOf, colorOf, stackAt, stateAt } = LoopReplay.model;

  // ---- Pieces that other parts use, too --------------------------------------------------------------------------

  const ICONS = {
    first: "M6 5v14M19 5l-9 7 9 7z",
    back: "M16 5l-9 7 9 7z",
    play: "M7 4l13 8-13 8z",
    pause: "M7 5v14M17 5v14",
    next: "M8 5l9 7-9 7z",
    last: "M18 5v14M5 5l9 7-9 7z",
    up: "M5 15l7-7 7 7",
    down: "M5 9l7 7 7-7",
    grip: "M9 5h0M15 5h0M9 12h0M15 12h0M9 19h0M15 19h0",
  };

  const icon = (name) =>
    LabDom.svg(
      "svg",
      { viewBox: "0 0 24 24", "aria-hidden": "true" },
      LabDom.svg("path", { d: ICONS[name] }),
    );

  /** A button with a picture. The title is both its name and its tooltip. A screen reader would read an aria-label in addition. */
  const button = (label, name, onclick, text) =>
    el(
      "button",
      {
        type: "button",
        title: label === text ? null : label,
        onclick,
        class: text ? "text" : "icon",
      },
      name ? icon(name) : null,
      text ?? null,
    );

  /** A list with its role, because Safari does not treat a list without bullets as a list. */
  const list = (tag, attributes, ...items) => el(tag, { role: "list", ...attributes }, ...items);
  /** A remark next to a name. Screen readers get a comma between the two. */
  const aside = (kind, text) => el("span", { class: kind }, spokenOnly(", "), text);
  const heading = (text, color, note) =>
    el("p", { class: "title", "data-color": color }, text, note ? aside("note", note) : null);

  /** The program in its box. */
  function source(text, name) {
    const lines = text.replace(/\n$/, "").split("\n");
    return el(
      "div",
      { class: "box source" },
      heading("program", "main"),
      list(
        "ol",
        { class: "code", tabindex: 0, "aria-label": name },
        ...lines.map((line) => el("li", {}, el("code", {}, line || " "))),
      ),
    );
  }

  // ---- The phases, in the order the loop takes them ------------------------------------------------------------------

  const RING = [
    ["poll", -90],
    ["check", 0],
    ["close", 90],
    ["timers", 180],
  ];

  /** Clockwise, with an arrow from each to the next. */
  function ring() {
    const at = (r, degrees) => {
      const angle = (degrees * Math.PI) / 180;
      return [100 + r * Math.cos(angle), 100 + r * Math.sin(angle)].map((x) => x.toFixed(1));
    };
    const arcs = RING.map(([name, middle]) => {
      const [from, to] = [middle - 38, middle + 38];
      const [x, y] = at(72, middle);
      const shape = `M${at(96, from)}A96 96 0 0 1 ${at(96, to)}L${at(49, to)}A49 49 0 0 0 ${at(49, from)}Z`;
      const arrow = `M${at(65, to + 3)}L${at(72, to + 12)}L${at(79, to + 3)}Z`;
      return (
        `<g class="arc" data-color="${name}"><path d="${shape}"/>` +
        `<text x="${x}" y="${+y + 4.5}">${name}</text></g><path class="arrow" d="${arrow}"/>`
      );
    });
    return el("div", {
      class: "ring",
      role: "img",
      html:
        `<svg viewBox="0 0 200 200" aria-hidden="true">${arcs.join("")}` +
        '<text class="n" x="100" y="98"></text><text class="of" x="100" y="116"></text></svg>',
    });
  }

  function showRing(box, now, queue, busy) {
    const ended = now.event.what === "exit";
    for (const arc of box.querySelectorAll(".arc")) {
      arc.classList.toggle("on", arc.dataset.color === now.phase && !ended);
      arc.classList.toggle("idle", !busy);
    }
    const outside = now.phase === "main" || ended || now.phase === "exit";
    const [big, small] = box.querySelectorAll("text.n, text.of");
    big.textContent = ended ? "end" : outside ? "main" : String(now.iteration);
    small.textContent =
      queue === "tick"
        ? "tick queue"
        : queue === "micro"
          ? "microtasks"
          : ended
            ? ""
            : outside
              ? "before the loop"
              : "iteration";
    box.setAttribute(
      "aria-label",
      ended
        ? "The process has ended"
        : outside
          ? "Not in the loop yet"
          : `Phase ${PHASES[now.phase].name}, iteration ${now.iteration}`,
    );
  }

  // ---- The boxes -----------------------------------------------------------------------------------------------------

  const unbroken = (label) => label.replace(/ ([\d.]+) ms/, "\u00a0$1\u00a0ms");
  const dueIn = (us) => (us <= 0 ? "due" : `in ${ms(us)}`);

  class Stage {
    constructor(data) {
      const program = source(data.source, `Source of ${data.name}`);
      this.code = program.lastChild;
      this.lines = [...this.code.children];
      this.console = list("ol", { class: "console", tabindex: 0, "aria-label": "Console" });
      this.lanes = {};
      this.box = el(
        "div",
        { class: "stage" },
        el(
          "div",
          { class: "left" },
          program,
          el("div", { class: "box" }, heading("console", "main"), this.console),
        ),
        this.loop(),
      );
    }

    loop() {
      const chips = (name, title) => {
        title.id = `title-${name}`;
        this.lanes[name] = list("ul", { class: "chips", "aria-labelledby": title.id });
        return [title, this.lanes[name]];
      };
      const lane = (name, title, color, note) =>
        el(
          "div",
          { class: `box lane ${name}`, "data-color": color },
          ...chips(name, heading(title, color, note)),
        );
      const sub = (kind, text) => el("p", { class: `sub ${kind}` }, text);
      this.ring = ring();
      this.running = list("ol", { class: "running", "aria-label": "Call stack" });
      this.slots = list("ol", { class: "slots", "aria-label": "Threads of the pool" });
      const poll = el(
        "div",
        { class: "box lane poll", "data-color": "poll" },
        heading("poll", "poll"),
        el(
          "div",
          { class: "two" },
          el("div", {}, ...chips("kernel", sub("kernel", "kernel watches"))),
          el(
            "div",
            {},
            sub("pool", "thread pool"),
            this.slots,
            ...chips("queue", sub("queue", "waiting for a thread")),
            ...chips("ready", sub("ready", "done, callback pending")),
          ),
        ),
      );
      return el(
        "div",
        { class: "right" },
        el(
          "div",
          { class: "top" },
          this.ring,
          el("div", { class: "box now" }, heading("call stack", "main"), this.running),
        ),
        el(
          "div",
          { class: "lanes" },
          lane("tick", "tick queue", "tick"),
          lane("micro", "microtask queue", "micro"),
          lane("timers", "timers", "timers", "by due time"),
          poll,
          lane("check", "check", "check", "setImmediate"),
          lane("close", "close", "close"),
        ),
      );
    }

    /** Show this recorded run from now on. */
    take(model) {
      this.model = model;
      this.console.replaceChildren(
        ...model.printed.map(({ text, error }) =>
          el("li", { class: error ? "error" : null, hidden: true }, text),
        ),
      );
    }

    draw(now) {
      this.showStack(now);
      this.showLanes(now);
      this.showConsole(now);
    }

    /** Give every box the height that it will need. The caller draws its step again afterwards. */
    reserve({ used, steps }) {
      for (const name of ["queue", "ready"]) {
        const { [name]: lane } = this.lanes;
        lane.hidden = lane.previousElementSibling.hidden = !used.has(name);
      }
      const boxes = [...Object.values(this.lanes), this.slots, this.running];
      for (const box of [...boxes, this.console]) box.style.minHeight = "";
      const most = boxes.map(() => 0);
      for (const i of steps) {
        this.showStack(this.model.steps[i]);
        this.showLanes(this.model.steps[i]);
        boxes.forEach((box, k) => {
          most[k] = Math.max(most[k], box.getBoundingClientRect().height);
        });
      }
      for (const item of this.console.children) item.hidden = false;
      const printed = this.console.getBoundingClientRect().height;
      boxes.forEach((box, k) => {
        box.style.minHeight = `${Math.ceil(most[k])}px`;
      });
      this.console.style.minHeight = `${Math.ceil(printed)}px`;
    }

    showStack(now) {
      const { model } = this;
      const stack = stackAt(model, now.at);
      const frames = now.event.stack ?? [];
      const rows = frames.map(([name, line]) =>
        el("li", { class: "frame" }, el("code", {}, `${name}()`), ` line ${line}`),
      );
      for (const task of stack) {
        const facts = model.tasks[task];
        rows.push(
          el(
            "li",
            { "data-color": colorOf(facts, now.phase) },
            facts.lane === "main" ? "program text" : `callback of ${unbroken(facts.label)}`,
            facts.line ? aside("ln", lineOf(facts.line)) : null,
            facts.req ? aside("ln", `request ${facts.req}`) : null,
          ),
        );
      }
      if (rows.length === 0) {
        const text = now.event.what === "exit" ? "the process has ended" : "empty";
        rows.push(el("li", { class: "empty" }, text));
      }
      this.running.replaceChildren(...rows);
      this.showLine(now.event.line ?? null, new Set(frames.slice(1).map(([, line]) => line)));
      const outermost = stack.length > 0 ? model.tasks[stack.at(-1)].lane : null;
      const queue = ["tick", "micro"].includes(outermost) ? outermost : null;
      showRing(this.ring, now, queue, stack.length > 0);
    }

    showLine(line, callers) {
      this.lines.forEach((item, i) => {
        item.classList.toggle("on", line === i + 1);
        item.classList.toggle("caller", callers.has(i + 1) && line !== i + 1);
        if (line === i + 1) item.setAttribute("aria-current", "true");
        else item.removeAttribute("aria-current");
      });
      const shown = this.lines[(line ?? 0) - 1];
      if (!shown) return;
      const { code } = this;
      const top = shown.offsetTop; // .code is what it is positioned by
      if (top < code.scrollTop || top + shown.offsetHeight > code.scrollTop + code.clientHeight)
        code.scrollTop = top - code.clientHeight / 3;
    }

    showLanes(now) {
      const { model } = this;
      const state = stateAt(model, now.at);
      const stack = stackAt(model, now.at);
      const running = new Set(stack);
      const chip = (entry) => {
        const facts = model.tasks[entry.task];
        const due =
          entry.due !== undefined && facts.lane === "timers"
            ? aside("ln", dueIn(entry.due - now.event.t))
            : null;
        return el(
          "li",
          {
            class: `chip${entry.fresh ? " fresh" : ""}${running.has(entry.task) ? " running" : ""}`,
            "data-color": colorOf(facts),
          },
          unbroken(facts.label),
          facts.line ? aside("ln", lineOf(facts.line)) : null,
          due,
        );
      };
      for (const [name, lane] of Object.entries(this.lanes)) {
        const entries = state[name];
        const chips = entries.slice(0, CHIPS_SHOWN).map(chip);
        if (entries.length > CHIPS_SHOWN)
          chips.push(el("li", { class: "rest" }, `and ${entries.length - CHIPS_SHOWN} more`));
        if (chips.length === 0) chips.push(el("li", { class: "vh" }, "empty"));
        lane.replaceChildren(...chips);
      }
      this.slots.replaceChildren(
        ...state.slots.map((entry) => {
          if (!entry) return el("li", { class: "slot" }, spokenOnly("free"));
          const item = chip(entry);
          item.classList.add("slot");
          if (!entry.seen) {
            item.classList.add("assumed");
            item.title =
              "From request to callback. The queue is first in, first out. The thread itself " +
              "is not recorded.";
          }
          return item;
        }),
      );
      const top = stack.length > 0 && now.event.what !== "exit" ? model.tasks[stack[0]].lane : null;
      for (const box of this.box.querySelectorAll(".lane")) {
        const { color } = box.dataset;
        const inPhase = color === now.phase && !["tick", "micro"].includes(top);
        box.classList.toggle("active", top !== null && (top === color || inPhase));
      }
    }

    showConsole(now) {
      const { console } = this;
      let last = null;
      this.model.printed.forEach(({ at }, i) => {
        const item = console.children[i];
        item.hidden = at > now.at;
        item.classList.toggle("fresh", at === now.at);
        if (at <= now.at) last = item;
      });
      if (last)
        console.scrollTop =
          last.offsetTop - console.offsetTop - console.clientHeight + last.offsetHeight + 4;
    }
  }

  LoopReplay.pieces = { icon, button, list, aside, source };
  LoopReplay.Stage = Stage;
})();
