// A replay that a reader steps through: the stage, the controls below it, the keyboard, and a list of all steps.

(() => {
  if (typeof customElements === "undefined" || customElements.get("loop-replay")) return;

  const { el, spokenOnly, setOff } = LabDom;
  const { PHASES, ms, clock, Walk, colorRuns, busyTimes, runOf, notesOf } = LoopReplay.model;
  const { indexRecording, fullest, describe } = LoopReplay.model;
  const { icon, button, list, aside } = LoopReplay.pieces;
  const BASE_STEP_MS = 1200;
  const TOLD_AFTER_MS = 100; // the time that a screen reader needs to notice that the region is live again
  const REST_MS = 500;

  /** Call back once, as soon as an element is this close to the visible part of the page. */
  function whenNear(element, far, then) {
    const watch = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watch.disconnect();
        then();
      },
      { rootMargin: far },
    );
    watch.observe(element);
    return watch;
  }

  // ---- All steps as text ---------------------------------------------------------------------------------------------

  class StepList {
    constructor(go) {
      this.go = go;
      this.steps = list("ol", {
        class: "steps",
        "aria-label": "All steps",
        onfocusin: ({ target }) => this.stop(target),
      });
      this.box = el(
        "details",
        { class: "all", ontoggle: () => this.fill() },
        el("summary", {}, "All steps as text"),
        this.steps,
      );
    }

    /** The steps of the list, which is filled when a reader opens it. */
    take(model, visible) {
      Object.assign(this, { model, visible });
      this.steps.replaceChildren();
      this.fill();
    }

    fill() {
      if (!this.box.open) return;
      if (this.steps.childElementCount > 0) return this.mark(this.at); // the steps went on while the list was closed
      this.visible.forEach((i, k) => {
        const { phase, event } = this.model.steps[i];
        this.steps.append(
          el(
            "li",
            { "data-color": PHASES[phase].color },
            el(
              "button",
              { type: "button", class: "link", tabindex: -1, onclick: () => this.go(i) },
              el("span", { class: "ln" }, `${k + 1}. `),
              describe(this.model, i),
              aside("ln", clock(event.t)),
            ),
          ),
        );
      });
      this.mark(this.at);
    }

    /** Mark the step that is shown. */
    mark(step) {
      this.at = step;
      if (!this.box.open) return;
      this.steps.querySelector("[aria-current]")?.removeAttribute("aria-current");
      const current = this.steps.children[this.visible.indexOf(step)]?.firstChild;
      current?.setAttribute("aria-current", "step");
      if (current && !this.steps.contains(this.steps.getRootNode().activeElement))
        this.stop(current);
    }

    /** Let the Tab key stop at one step only. */
    stop(step) {
      this.steps.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
      step.setAttribute("tabindex", "0");
    }
  }

  // ---- The replay ----------------------------------------------------------------------------------------------------

  class View {
    /** near : the reader has already seen this place, so the content needs its room at once; name : what addresses call it */
    constructor(data, recordings, near = false, name = "") {
      Object.assign(this, { data, recordings, near });
      this.sign = LabDom.linkSign("replay", name, "Link to this step");
      this.showNode = false;
      this.speed = 1;
      this.stage = new LoopReplay.Stage(data);
      this.list = new StepList((step) => this.go(step));
      this.parts = {};
      const p = this.parts;
      p.which = el(
        "select",
        {
          "aria-label": data.origin === "model" ? "Order of the model" : "Recorded run",
          onchange: () => this.select(+p.which.value),
        },
        ...recordings.map((run, i) => el("option", { value: i }, runOf(run))),
      );
      p.chosen =
        recordings.length === 1 ? el("span", { class: "which" }, p.which.textContent) : p.which;
      p.head = el(
        "header",
        {},
        el("span", { class: "name" }, data.name),
        aside("kind", data.module === "esm" ? "ES module" : "CommonJS"),
        p.chosen,
      );
      p.waits = el("p", { class: "waits", hidden: true });
      p.say = el("p", { class: "say", "aria-live": "polite", "aria-atomic": "true" });
      p.notes = el("ul", { class: "notes" });
      p.replay = el(
        "div",
        { class: "replay" },
        this.stage.box,
        el("slot", { name: "levels" }),
        el("div", { class: "bar" }, p.say, this.controls()),
        this.options(),
        el("div", { class: "more" }, this.list.box, keys()),
        p.notes,
        el("slot", { name: "orders" }),
      );
    }

    controls() {
      const p = this.parts;
      p.play = button("Play", "play", () => this.toggle());
      p.range = el("input", {
        type: "range",
        min: 0,
        value: 0,
        "aria-label": "Step",
        oninput: () => this.slide(this.walk.visible[+p.range.value]),
      });
      p.strip = el("div", { class: "strip", "aria-hidden": "true" });
      p.cursor = el("span", { class: "cursor" });
      p.time = el("div", { class: "time", "aria-hidden": "true" });
      p.span = el("span");
      p.where = el("span", { class: "where" });
      p.first = button("First step", "first", () => this.go(this.walk.first));
      p.back = button("Step back", "back", () => this.move(-1) || this.tell());
      p.next = button("Step", "next", () => this.move(1) || this.tell());
      p.last = button("Last step", "last", () => this.go(this.walk.last));
      return el(
        "div",
        { class: "controls", role: "group", "aria-label": "Playback" },
        el("div", { class: "buttons" }, p.first, p.back, p.play, p.next, p.last),
        el(
          "div",
          { class: "track" },
          p.strip,
          p.range,
          p.time,
          el("p", { class: "scale" }, p.span, el("span", {}, p.where, this.sign.link)),
        ),
      );
    }

    options() {
      const p = this.parts;
      p.speed = el(
        "select",
        { "aria-label": "Speed", onchange: () => this.setSpeed(+p.speed.value) },
        ...[0.5, 1, 2, 4].map((x) => el("option", { value: x, selected: x === 1 }, `${x}×`)),
      );
      p.iteration = el("select", {
        "aria-label": "Go to iteration",
        onchange: () => this.go(+p.iteration.value),
      });
      p.node = el("input", { type: "checkbox", onchange: () => this.setNode(p.node.checked) });
      return el(
        "div",
        { class: "options", role: "group", "aria-label": "Options" },
        el("label", {}, "iteration ", p.iteration),
        el("label", {}, "speed ", p.speed),
        el("label", { class: "check" }, p.node, " Node's own callbacks"),
      );
    }

    /** Follow the size of the boxes while they are on a page. */
    watch() {
      this.watching?.disconnect();
      this.watching = new ResizeObserver(() => this.reserve());
      this.watching.observe(this.parts.replay);
      this.nearing?.disconnect();
      // This lays out every step, which takes half a second. A page need not wait for it while it opens.
      this.nearing = whenNear(this.parts.replay.getRootNode().host, "400px", () => {
        this.near = true;
        this.reserve(true);
      });
    }

    /** Stop all motion and all announcements. */
    rest() {
      this.pause();
      this.parts.say.setAttribute("aria-live", "polite");
      for (const timer of [this.telling, this.resting]) clearTimeout(timer);
      this.watching?.disconnect();
      this.nearing?.disconnect();
    }

    // -- choosing ------------------------------------------------------------------------------------------------

    /** Cover or show everything that gives the order away. */
    cover(isCovered) {
      const p = this.parts;
      p.replay.hidden = p.chosen.hidden = isCovered;
      p.waits.hidden = true;
      if (!isCovered) p.replay.getRootNode().host?.dispatchEvent(new Event("lab-uncovered"));
    }

    select(number) {
      this.pause();
      const run = this.recordings[number];
      this.model = indexRecording(run.recording, this.data.pool);
      const p = this.parts;
      p.which.value = number;
      const notes = notesOf(run);
      p.notes.replaceChildren(...notes.map((note) => el("li", {}, note)));
      p.notes.hidden = notes.length === 0;
      this.stage.take(this.model);
      const { total, bars } = busyTimes(this.model);
      const share = (us) => `${((100 * us) / total).toFixed(2)}%`;
      p.time.replaceChildren(
        ...bars.map(({ color, from, to }) =>
          el("span", {
            "data-color": color,
            style: `left:${share(from)};width:${share(to - from)}`,
          }),
        ),
        p.cursor,
      );
      p.span.textContent = `main thread, ${ms(this.model.events.at(-1).t)}`;
      this.fullest = null;
      this.setNode(this.showNode);
      this.go(this.walk.first);
      this.reserve(true);
    }

    setNode(on) {
      this.showNode = on;
      this.walk = new Walk(this.model, on);
      const { visible, begins } = this.walk;
      const p = this.parts;
      p.node.checked = on;
      p.range.max = visible.length - 1;
      p.iteration.replaceChildren(
        ...[...begins].map(([iteration, i]) => el("option", { value: i }, String(iteration))),
      );
      p.strip.replaceChildren(
        ...colorRuns(visible.map((i) => this.model.steps[i])).map(({ color, length }) =>
          el("span", { "data-color": color, style: `flex:${length} 0 0` }),
        ),
      );
      this.list.take(this.model, visible);
      if (this.at !== undefined) this.go(this.walk.nearest(this.at));
    }

    /** Give every box the height that it will need, so that no button moves while a reader steps. */
    reserve(anew = false) {
      const p = this.parts;
      if (!this.model || !this.near || p.replay.getRootNode().host?.isUnstyled) return;
      const width = p.replay.clientWidth;
      if (!width) return; // not shown yet
      if (width === this.width && !anew) return; // with the same width, lines wrap as before
      this.width = width;
      this.fullest ??= fullest(this.model);
      this.stage.reserve(this.fullest);
      p.say.style.minHeight = "";
      // Sentences that are only measured are not read out. All of them are laid out at once.
      const trials = this.fullest.sentences.map((i) =>
        el("p", { class: "say", "aria-hidden": "true" }, describe(this.model, i)),
      );
      p.say.after(...trials);
      const heights = trials.map((trial) => trial.getBoundingClientRect().height);
      for (const trial of trials) trial.remove();
      p.say.style.minHeight = `${Math.ceil(Math.max(0, ...heights))}px`;
      this.draw();
    }

    // -- moving --------------------------------------------------------------------------------------------------

    /** Show step number `step` of the recording. */
    go(step) {
      this.at = step;
      clearTimeout(this.telling);
      this.tell();
      this.draw();
    }

    /** Show what an address says. A covered replay has to wait until the reader uncovers it. */
    seek(address) {
      const { replay, waits } = this.parts;
      this.wanted = address;
      if (replay.hidden) {
        waits.textContent = `The link leads to step ${Number(address.get("step")) || 1}. “Show the replay” goes there.`;
        waits.hidden = false;
        return;
      }
      const [run, step] = ["run", "step"].map((key) => Number(address.get(key) ?? 1) - 1);
      if (!this.recordings[run]) return;
      const before = { run: +this.parts.which.value, showNode: this.showNode, at: this.at };
      this.showNode = address.has("node");
      this.select(run);
      if (this.walk.visible[step] !== undefined) return this.go(this.walk.visible[step]);
      this.showNode = before.showNode;
      this.select(before.run);
      this.go(before.at);
    }

    move(by) {
      const step = this.walk.beside(this.at, by);
      if (step === undefined) return false;
      this.go(step);
      return true;
    }

    toggle() {
      if (this.timer) return this.pause();
      if (this.at === this.walk.last) this.go(this.walk.first);
      const p = this.parts;
      for (const timer of [this.telling, this.resting]) clearTimeout(timer);
      p.play.replaceChildren(icon("pause"));
      p.play.title = "Pause";
      p.say.setAttribute("aria-live", "off"); // one sentence a second would be too much to listen to
      const tick = () => {
        this.timer = setTimeout(() => {
          this.move(1);
          if (this.at !== this.walk.last) return tick();
          // The last step is shown in silence, and then the end is read out once.
          this.timer = setTimeout(() => this.pause(), TOLD_AFTER_MS);
        }, BASE_STEP_MS / this.speed);
      };
      tick();
    }

    pause() {
      if (!this.timer) return;
      clearTimeout(this.timer);
      this.timer = null;
      const p = this.parts;
      p.play.replaceChildren(icon("play"));
      p.play.title = "Play";
      this.speak(this.at === this.walk.last ? "The end, " : "Paused at ");
    }

    setSpeed(speed) {
      this.speed = speed;
      if (this.timer) {
        this.pause();
        this.toggle();
      }
    }

    /** The slider says its position. The sentence of the step is read out when the slider rests. */
    slide(step) {
      this.parts.say.setAttribute("aria-live", "off");
      this.go(step);
      clearTimeout(this.resting);
      this.resting = setTimeout(() => this.timer || this.speak(""), REST_MS);
    }

    /** A screen reader does not read out an earlier change of a silent region, so the text has to change once more. */
    speak(first) {
      this.parts.say.setAttribute("aria-live", "polite");
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.tell(first), TOLD_AFTER_MS);
    }

    /** The sentence of this step. Screen readers also get its position among all steps. */
    tell(first = "") {
      const place = `${this.walk.index(this.at) + 1} of ${this.walk.visible.length}. `;
      this.parts.say.replaceChildren(spokenOnly(first + place), describe(this.model, this.at));
    }

    draw() {
      const { model, walk, parts: p, at: step } = this;
      const now = model.steps[step];
      const index = walk.index(step);
      const count = walk.visible.length;
      p.range.value = index;
      p.range.setAttribute("aria-valuetext", `Step ${index + 1} of ${count}`);
      for (const control of [p.back, p.first]) setOff(control, index <= 0);
      for (const control of [p.next, p.last]) setOff(control, index >= count - 1);
      const run = +p.which.value;
      this.sign.lead({
        ...(run > 0 && { run: run + 1 }),
        ...(this.showNode && { node: 1 }),
        step: index + 1,
      });
      p.where.textContent = `step ${index + 1} of ${count} · ${clock(now.event.t)}`;
      p.cursor.style.left = `${(100 * now.event.t) / (model.events.at(-1).t || 1)}%`;
      p.iteration.value = walk.begin(step);
      this.stage.draw(now);
      this.list.mark(step);
      p.replay.getRootNode().host?.dispatchEvent(new Event("lab-step"));
    }

    // -- the keyboard --------------------------------------------------------------------------------------------

    key(event) {
      if (!this.model || this.parts.replay.hidden || event.ctrlKey || event.metaKey || event.altKey)
        return;
      const target = event.composedPath()[0];
      const tag = target.localName;
      if (
        tag === "select" ||
        (tag === "input" &&
          target.type === "range" &&
          !["PageUp", "PageDown", " "].includes(event.key))
      )
        return;
      if (target.closest?.(".predict")) return;
      const { walk } = this;
      const beside = (way) => target.closest?.(".steps li")?.[way]?.firstChild.focus();
      const actions = {
        ArrowRight: () => this.move(1),
        ArrowLeft: () => this.move(-1),
        Home: () => this.go(walk.first),
        End: () => this.go(walk.last),
        PageDown: () => this.go(walk.iteration(this.at, 1)),
        PageUp: () => this.go(walk.iteration(this.at, -1)),
        " ": () => this.toggle(),
        ...(target.closest?.(".steps li") && {
          ArrowDown: () => beside("nextSibling"),
          ArrowUp: () => beside("previousSibling"),
        }),
      };
      // Space presses the button that has the focus, and ticks the box.
      if (event.key === " " && ["button", "summary"].includes(tag)) return;
      if (event.key === " " && ["checkbox", "file"].includes(target.type)) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
  }

  const keys = () =>
    el(
      "details",
      { class: "keys" },
      el("summary", {}, "Keys"),
      el(
        "p",
        {},
        "← → one step · PageUp PageDown one iteration · Home End first and last step · Space " +
          "plays and pauses. They work while the focus is inside the replay. In the list of " +
          "all steps, ↑ ↓ move from step to step, and Enter goes to the step.",
      ),
    );

  LoopReplay.pieces.whenNear = whenNear;
  LoopReplay.View = View;
})();
