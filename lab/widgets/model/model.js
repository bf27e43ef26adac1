// <lab-model>: a small model that a reader drives, one move after another. What a move does, and why one is refused, says the model
// (the other files of this folder); tests run each of them beside Node. Its name comes as JSON (lab/widgets/model/model.py); without
// JavaScript the moves that are told inside stay.

(() => {
  globalThis.LabModels ??= {};
  const copy = (value) => JSON.parse(JSON.stringify(value));

  // ---- Moves, without a page ---------------------------------------------------------------------------------------

  /** What a model begins with: the value of each knob, or the one that was chosen. */
  const settings = ({ knobs = [] }, chosen = {}) =>
    Object.fromEntries(knobs.map(({ name, value }) => [name, chosen[name] ?? value]));

  /** One move: the state after it, what is told, and whether it was refused. */
  function step(model, state, id) {
    const next = copy(state);
    const said = model.move(next, id);
    if (typeof said === "string") return { state: next, told: said, refused: false };
    return { state, told: said.no, refused: true };
  }

  /** Several moves from the beginning: the state at the end, and what each of them told. */
  function play(model, moves, chosen, data) {
    let state = model.start(settings(model, chosen), data);
    const told = moves.map((id) => {
      const made = step(model, state, id);
      ({ state } = made);
      return made;
    });
    return { state, told };
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

  const { el, button, dataOf, setOff, whenParsed } = LabDom;
  const REST_MS = 500; // a slider that is moved says where it came to rest, not each step
  let count = 0;

  class Model extends HTMLElement {
    connectedCallback() {
      whenParsed(() => this.begin());
    }

    disconnectedCallback() {
      clearTimeout(this.resting);
    }

    begin() {
      if (this.model || !this.isConnected) return;
      const asked = dataOf(this);
      const model = globalThis.LabModels[asked?.name];
      if (!model) return; // what is told inside stays
      this.model = model;
      this.data = asked.data;
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

    /** A knob that changes what is there: nothing begins anew. */
    adjust(name, value, rest = 0) {
      this.state = copy(this.state);
      this.state[name] = value;
      this.model.adjust?.(this.state, name);
      this.past = [];
      this.show();
      clearTimeout(this.resting);
      this.resting = setTimeout(() => {
        this.said.innerHTML = this.model.told?.(this.state) ?? "";
      }, rest);
    }

    restart() {
      this.past = [];
      this.state = this.model.start({ ...this.values }, this.data);
      this.log.replaceChildren();
      this.said.textContent = "Everything is as it was at the beginning.";
      this.show();
      const told = this.model.told?.(this.state);
      if (told) this.said.innerHTML = told;
    }

    undo() {
      if (this.past.length === 0) return;
      this.state = this.past.pop();
      this.log.lastElementChild?.remove();
      this.said.textContent = "Taken back.";
      this.show();
    }

    take(id) {
      const { state, told, refused } = step(this.model, this.state, id);
      if (!refused) {
        this.past.push(this.state);
        this.state = state;
        this.log.append(el("li", { html: told }));
      }
      this.said.classList.toggle("no", refused);
      this.said.innerHTML = refused ? `<strong>No.</strong> ${told}` : told;
      const end = !refused && this.model.end?.(this.state);
      if (end) this.said.append(" ", el("strong", { html: end }));
      this.show();
    }

    show() {
      this.stage.replaceChildren(...this.model.lanes(this.state).map(lane));
      // The same buttons as before: the one that was pressed keeps the focus.
      const moves = this.model.moves(this.state);
      const names = moves.map(({ id }) => id);
      for (const [id, one] of this.buttons)
        if (!names.includes(id)) {
          // What comes next for who pressed it: there is nothing more to press.
          if (one === document.activeElement) this.again.focus();
          one.remove();
          this.buttons.delete(id);
        }
      moves.forEach(({ id, label }, i) => {
        const one = this.buttons.get(id) ?? button("", () => this.take(id));
        if (one.innerHTML !== label) one.innerHTML = label;
        this.buttons.set(id, one);
        if (this.moves.children[i] !== one) this.moves.insertBefore(one, this.moves.children[i]);
      });
      this.moves.hidden = moves.length === 0;
      for (const one of this.knobs) one.refresh?.();
      setOff(this.back, this.past.length === 0);
      this.back.parentNode.hidden = moves.length === 0 && !this.past.length;
      this.soFar.hidden = this.log.childElementCount === 0;
    }
  }

  /** One row: its name, and what is in it. */
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

  /** at, low, high: places from 0 to 1 on an axis that the lanes share. */
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
