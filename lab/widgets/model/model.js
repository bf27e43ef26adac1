// <lab-model>: a small model that a reader drives, one move after another. The other files of this folder are the models. They say
// what a move does and why a move is refused, and tests compare each of them with Node. The name of the model comes as JSON
// (lab/widgets/model/model.py). Without JavaScript the text inside stays, which describes some moves.

(() => {
  globalThis.LabModels ??= {};
  const copy = (value) => JSON.parse(JSON.stringify(value));

  // ---- Moves, without a page ---------------------------------------------------------------------------------------

  /** The settings that a model begins with: the chosen value of each knob, or its default. */
  const settings = ({ knobs = [] }, chosen = {}) =>
    Object.fromEntries(knobs.map(({ name, value }) => [name, chosen[name] ?? value]));

  /** Make one move. Returns the next state, the text about the move, and whether the model refused it. */
  function step(model, state, id) {
    const next = copy(state);
    const answer = model.move(next, id);
    if (typeof answer === "string") return { state: next, told: answer, refused: false };
    return { state, told: answer.no, refused: true };
  }

  /** Make several moves from the beginning. Returns the last state, and the result of each move. */
  function play(model, moves, chosen, data) {
    let state = model.start(settings(model, chosen), data);
    const results = moves.map((id) => {
      const result = step(model, state, id);
      ({ state } = result);
      return result;
    });
    return { state, told: results };
  }

  const plain = (html) =>
    html
      .replace(/<[^>]+>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");

  const escaped = (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  globalThis.LabModel = { settings, step, play, plain, escaped };
  if (typeof customElements === "undefined" || customElements.get("lab-model")) return;

  // ---- The element -------------------------------------------------------------------------------------------------

  const { el, button, dataOf, setOff, afterParsing } = LabDom;
  const REST_MS = 500; // a slider speaks when it has come to rest, not at each step
  let count = 0;

  class Model extends HTMLElement {
    connectedCallback() {
      afterParsing(() => this.begin());
    }

    disconnectedCallback() {
      clearTimeout(this.resting);
    }

    begin() {
      if (this.model || !this.isConnected) return;
      const content = dataOf(this);
      const model = globalThis.LabModels[content?.name];
      if (!model) return; // the text inside stays
      this.model = model;
      this.data = content.data;
      this.name = `lab-model-${++count}`;
      this.values = settings(model);
      this.said = el("p", { class: "told", role: "status" });
      this.stage = el("div", { class: "stage" });
      this.buttons = new Map();
      this.moves = el("p", { class: "moves", role: "group", "aria-label": "Moves" });
      this.log = el("ol");
      this.soFar = el(
        "details",
        { class: "so-far" },
        el("summary", {}, "What happened so far"),
        this.log,
      );
      this.back = button("Take it back", () => this.undo());
      this.again = button("Start again", () => this.restart());
      this.setAttribute("role", "group");
      this.setAttribute("aria-labelledby", `${this.name}-title`);
      const notes = this.querySelector(":scope > .notes");
      const fits = (knob) => !knob.when || knob.when(this.data);
      this.knobs = (model.knobs ?? []).filter(fits).map((knob) => this.knob(knob));
      this.replaceChildren(
        el("p", { class: "kind" }, "A model to play with"),
        el("p", { class: "title", id: `${this.name}-title`, html: model.title }),
        el("p", { class: "ask", html: model.ask }),
        model.code ? el("pre", {}, el("code", {}, model.code)) : "",
        this.knobs.length
          ? el("div", { class: "knobs" }, ...this.knobs.map(({ whole }) => whole))
          : "",
        this.stage,
        this.moves,
        this.said,
        el("p", { class: "actions" }, this.back, this.again),
        this.soFar,
        ...(notes ? [notes] : []),
      );
      this.restart();
      this.said.innerHTML = model.told?.(this.state) ?? "";
    }

    knob(knob) {
      const { name, label, options, type } = knob;
      const id = `${this.name}-${name}`;
      const change = (value, rest) => {
        this.values[name] = value;
        if (knob.live) this.adjust(name, value, rest);
        else this.restart();
      };
      if (options) {
        const select = el(
          "select",
          { id, onchange: () => change(select.value) },
          ...options.map(([value, text]) =>
            el("option", { value, selected: value === knob.value }, text),
          ),
        );
        return this.shown(id, label, select);
      }
      if (type === "text") {
        const input = el("input", {
          id,
          type: "text",
          value: knob.value,
          maxlength: knob.most,
          autocomplete: "off",
          spellcheck: "false",
          oninput: () => change(input.value, REST_MS),
        });
        return this.shown(id, label, input);
      }
      const output = el("output", { for: id, "aria-live": "off" });
      const input = el("input", { id, type: "range", min: knob.min, step: 1, value: knob.value });
      const tell = () => {
        output.textContent = knob.words(input.valueAsNumber, this.state);
        input.setAttribute("aria-valuetext", output.textContent);
      };
      input.addEventListener("input", () => {
        change(input.valueAsNumber, REST_MS);
        tell();
      });
      const refresh = () => {
        input.max = typeof knob.max === "function" ? knob.max(this.state) : knob.max;
        if (knob.live) input.value = this.state[name];
        tell();
      };
      return { ...this.shown(id, label, input, output), refresh };
    }

    shown(id, label, ...controls) {
      return {
        whole: el("div", { class: "knob" }, el("label", { for: id }, label), " ", ...controls),
      };
    }

    /** A live knob changes the present state. The model does not start again. */
    adjust(name, value, delayMs = 0) {
      this.state = copy(this.state);
      this.state[name] = value;
      this.model.adjust?.(this.state, name);
      this.past = [];
      this.show();
      clearTimeout(this.resting);
      this.resting = setTimeout(() => {
        this.said.innerHTML = this.model.told?.(this.state) ?? "";
      }, delayMs);
    }

    restart() {
      this.past = [];
      this.state = this.model.start({ ...this.values }, this.data);
      this.log.replaceChildren();
      this.said.textContent = "Everything is back at the beginning.";
      this.show();
      const text = this.model.told?.(this.state);
      if (text) this.said.innerHTML = text;
    }

    undo() {
      if (this.past.length === 0) return;
      this.state = this.past.pop();
      this.log.lastElementChild?.remove();
      this.said.textContent = "Taken back.";
      this.show();
    }

    take(id) {
      const { state, told: text, refused: isNo } = step(this.model, this.state, id);
      if (!isNo) {
        this.past.push(this.state);
        this.state = state;
        this.log.append(el("li", { html: text }));
      }
      this.said.classList.toggle("no", isNo);
      this.said.innerHTML = isNo ? `<strong>No.</strong> ${text}` : text;
      const end = !isNo && this.model.end?.(this.state);
      if (end) this.said.append(" ", el("strong", { html: end }));
      this.show();
    }

    show() {
      this.stage.replaceChildren(...this.model.lanes(this.state).map(lane));
      // The buttons stay the same elements, so the pressed button keeps the focus.
      const moves = this.model.moves(this.state);
      const names = moves.map(({ id }) => id);
      for (const [id, moveButton] of this.buttons)
        if (!names.includes(id)) {
          // If the pressed button disappears, the focus goes to the next useful button.
          if (moveButton === document.activeElement) this.again.focus();
          moveButton.remove();
          this.buttons.delete(id);
        }
      moves.forEach(({ id, label }, i) => {
        const moveButton = this.buttons.get(id) ?? button("", () => this.take(id));
        if (moveButton.innerHTML !== label) moveButton.innerHTML = label;
        this.buttons.set(id, moveButton);
        if (this.moves.children[i] !== moveButton)
          this.moves.insertBefore(moveButton, this.moves.children[i]);
      });
      this.moves.hidden = moves.length === 0;
      for (const knob of this.knobs) knob.refresh?.();
      setOff(this.back, this.past.length === 0);
      this.back.parentNode.hidden = moves.length === 0 && !this.past.length;
      this.soFar.hidden = this.log.childElementCount === 0;
    }
  }

  /** One row: its name and its content. */
  function lane({ name, cells = [], text, empty = "nothing", of = "" }) {
    return el(
      "div",
      { class: `lane ${of}` },
      el("p", { class: "name", html: name }),
      text !== undefined
        ? el("p", { class: "text", html: text })
        : cells.length
          ? el("ul", {}, ...cells.map(cell))
          : el("p", { class: "empty" }, empty),
    );
  }

  /** at, low, high: positions from 0 to 1 on an axis that the lanes share. */
  function cell({ text, sub, kind = "", at, low, high }) {
    const place = at === undefined ? "" : `--at: ${at}; --low: ${low}; --high: ${high}`;
    return el(
      "li",
      { class: `cell ${kind}`, style: place || null },
      at === undefined ? "" : el("span", { class: "axis", "aria-hidden": "true" }),
      el("span", { html: text }),
      sub ? el("small", {}, " ", sub) : "",
    );
  }

  customElements.define("lab-model", Model);
})();
