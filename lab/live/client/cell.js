// One cell of the page: what is pressed, what is shown, and the book's own beside it. It knows nothing of the page, which
// calls it and listens to its events:
//   run      its code is to run, or, while it runs, to stop
//   change   what it keeps (`record`) is another
//   draw     outputs were put on the page; `detail`: their HTML
//   gone     the editor could not be loaded

import { element, htmlOf, Outputs, otherIds } from "./outputs.js";
import { button, el, lasting } from "./words.js";

// What only asks or answers a question has nothing to be pressed: it comes along.
const ASKED = "lab-question, lab-answer, lab-asked";
const AFTER_MS = 150; // no more pictures of a running cell than eyes can follow

export class Cell extends EventTarget {
  /** The text that runs; the book's is `source`. */
  code;
  outputs = null;
  seconds = null;
  ran = null; // epoch, ms: when these outputs came
  #kernel;
  #place;
  #bookOutput;
  #output = null;
  #editor = null;
  #state = "";
  #began = 0;
  #timer = null;
  #drawing = null;

  /** place : its element on the page; null for one that is not shown; number : what it is called if it can be pressed. */
  constructor({ index, source, tags, seconds }, { place, number, kernel }) {
    super();
    this.#kernel = kernel;
    this.#place = place;
    this.index = index;
    this.source = source;
    this.code = source;
    this.mayFail = tags.includes("raises-exception");
    this.bookSeconds = seconds ?? null;
    this.hasCode = place?.querySelector(".cell_input") != null;
    this.#bookOutput = place?.querySelector(":scope > .cell_output") ?? null;
    const asks = this.#bookOutput?.querySelector(ASKED) != null;
    this.pressed = place !== null && (this.hasCode || !asks);
    if (!this.pressed) return;
    this.number = number;
    this.#toolbar();
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  get expected() {
    return this.seconds ?? (this.edited ? null : this.bookSeconds);
  }

  get edited() {
    return this.code !== this.source;
  }

  /** What it is called by those who hear the page. */
  get name() {
    return `cell ${this.number}`;
  }

  #toolbar() {
    this.runButton = button("Run", () => this.#emit("run"), { class: "lab-live-run" });
    this.editButton = button("Edit", () => this.edit());
    this.resetButton = button("Reset", () => this.reset(), {
      hidden: true,
      "aria-label": `Reset ${this.name} to the book's code`,
    });
    this.bookButton = button("Show the book's", () => this.#turn(), { hidden: true });
    this.said = el("span", { class: "lab-live-said" });
    this.offer = el("span", { class: "lab-live-offer", hidden: true });
    this.bar = el(
      "div",
      { class: "lab-live-bar", role: "group", "aria-label": `Run ${this.name}` },
      this.runButton,
      this.editButton,
      this.resetButton,
      this.bookButton,
      this.said,
      this.offer,
    );
    const input = this.#place.querySelector(":scope > .cell_input, :scope > details");
    if (input) input.after(this.bar);
    else this.#place.prepend(this.bar);
    this.#say();
  }

  /** Ask before cells above are run, too. */
  ask(question, choices) {
    const close = () => {
      this.offer.hidden = true;
      this.offer.replaceChildren();
    };
    this.offer.replaceChildren(
      el("span", {}, `${question} `),
      ...choices.map(([text, then]) =>
        button(text, () => {
          close();
          this.runButton.focus();
          then();
        }),
      ),
      button("Cancel", () => {
        close();
        this.runButton.focus();
      }),
    );
    this.offer.hidden = false;
    this.offer.querySelector("button").focus();
  }

  waiting() {
    this.#state = "waiting";
    this.#say();
  }

  idle() {
    this.#state = "";
    this.#say();
  }

  /** Take what comes: from here to `end` it runs, where the reader can see it. */
  begin() {
    const fold = this.#place?.closest("details.lab-fold");
    if (fold) fold.open = true;
    this.#state = "running";
    this.#began = performance.now();
    this.#place?.classList.add("lab-live-runs");
    this.#timer = setInterval(() => this.#say(), 500);
    this.#say();
    this.arriving = new Outputs(() => this.#soon());
    return this.arriving;
  }

  /** How many seconds it has run. */
  get running() {
    return (performance.now() - this.#began) / 1000;
  }

  end(hasFailed) {
    clearInterval(this.#timer);
    clearTimeout(this.#drawing);
    this.#drawing = null;
    this.#place?.classList.remove("lab-live-runs");
    this.#state = hasFailed ? "failed" : "";
    if (!hasFailed) this.seconds = this.running;
    this.take(this.arriving.list, Date.now());
    this.#emit("change");
  }

  /** Show outputs as yours. */
  take(list, when) {
    this.outputs = list;
    this.ran = when;
    this.#besides(false);
    this.#draw();
    this.#say();
  }

  /** The outputs of an earlier run, which this browser has kept. */
  recall({ code, outputs, ran, seconds }) {
    if (typeof code === "string") this.code = code;
    this.seconds = seconds ?? null;
    if (this.pressed && this.edited) this.#listing();
    if (Array.isArray(outputs)) this.take(outputs, ran);
    else this.#say();
  }

  /** What is kept of it until the reader discards it. */
  get record() {
    const { source, code, outputs, ran, seconds } = this;
    return { source, code, outputs, ran, seconds };
  }

  #soon() {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = null;
      if (this.#state !== "running") return;
      this.outputs = this.arriving.list;
      this.#besides(false);
      this.#draw();
    }, AFTER_MS);
  }

  #draw() {
    if (!this.#place || !this.outputs) return;
    const nodes = this.outputs.map(element).filter(Boolean);
    this.#emit("draw", htmlOf(this.outputs));
    if (!this.#output) {
      this.#output = el("div", {
        class: "cell_output docutils container lab-live-yours",
        role: "group",
        "aria-label": `Your output of ${this.pressed ? this.name : "this cell"}`,
      });
      if (this.#bookOutput) this.#bookOutput.after(this.#output);
      else this.#place.append(this.#output);
    }
    this.#output.replaceChildren(...nodes);
    // What is not shown is taken out: a page has no two elements with one id.
    if (this.#bookOutput?.isConnected) this.#bookOutput.remove();
    this.#place.classList.add("lab-live-mine");
  }

  #turn() {
    this.#besides(this.#beside === null);
    this.#say();
  }

  #beside = null;
  /** The book's output under yours, or away again. */
  #besides(shown) {
    if (shown === (this.#beside !== null)) return;
    if (shown) {
      const whose = el("p", { class: "lab-live-whose" }, "The book's output:");
      this.#beside = el("div", { class: "lab-live-beside" }, whose, this.#bookOutput);
      this.#undo = otherIds(this.#bookOutput, this.#output);
      this.#output.after(this.#beside);
    } else {
      this.#beside.remove();
      this.#bookOutput.remove();
      this.#beside = null;
      this.#undo();
    }
  }

  #undo;

  /** The book's code and output again, as if nothing had run. */
  discard() {
    this.#closeEditor();
    this.code = this.source;
    this.#listing();
    this.#besides(false);
    if (this.#output && this.outputs) {
      if (this.#output.isConnected && this.#bookOutput) this.#output.replaceWith(this.#bookOutput);
      this.#output.remove();
    }
    this.#output = null;
    this.outputs = null;
    this.ran = null;
    this.#state = "";
    this.#place?.classList.remove("lab-live-mine");
    this.#say();
  }

  /** Ctrl-C for this code: the book's again. What came of yours stays until the cell runs again. */
  reset() {
    if (this.#editor) this.#editor.text = this.source;
    this.code = this.source;
    this.#listing();
    this.#emit("change");
    this.#say();
    this.runButton.focus();
  }

  async edit() {
    if (this.#editor) {
      this.#closeEditor();
      this.editButton.focus();
      return;
    }
    this.editButton.disabled = true;
    let library;
    try {
      library = await import("./editor.js");
    } catch {
      this.#emit("gone");
      return;
    } finally {
      this.editButton.disabled = false;
    }
    this.#place.querySelector("details")?.setAttribute("open", "");
    this.#put("editor");
    this.#editor = library.edit({
      place: this.#slot,
      text: this.code,
      book: this.source,
      language: this.#language(),
      label: `Code of ${this.name}. Press Control and Enter to run it, or Escape to leave it.`,
      changed: (text) => {
        this.code = text;
        this.seconds = null; // nobody knows of this code
        this.#emit("change");
        this.#say();
      },
      run: () => this.#emit("run"),
      leave: () => {
        this.#closeEditor();
        this.editButton.focus();
      },
    });
    this.#say();
    this.#editor.focus();
  }

  #slot = null;
  /** Where the book's listing stands, or would, is put what is shown instead. */
  #put(what) {
    const listing = this.#listingOfBook();
    this.#slot?.remove();
    this.#slot = what ? el("div", { class: `lab-live-${what}` }) : null;
    if (listing) listing.hidden = this.#slot !== null;
    if (!this.#slot) return;
    if (listing) listing.after(this.#slot);
    else this.bar.before(this.#slot);
  }

  #listingOfBook() {
    return this.#place?.querySelector(".cell_input > div, .cell_input > details > div") ?? null;
  }

  /** The code as it is now, when nobody edits it. */
  #listing() {
    if (!this.pressed || this.#editor) return;
    this.#put(this.edited ? "listing" : null);
    if (!this.edited) return;
    const pre = el("pre", { tabindex: "0" }, this.code);
    this.#slot.append(el("div", { class: "highlight" }, pre));
  }

  #closeEditor() {
    this.#editor?.close();
    this.#editor = null;
    if (this.pressed) this.#listing();
    this.#say();
  }

  #language() {
    const server = /^%%server\s+(\w+)\//.exec(this.source)?.[1];
    if (server) return server === "python" ? "python" : "javascript";
    return this.#kernel === "python3" ? "python" : "javascript";
  }

  #say() {
    if (!this.pressed) return;
    const takes = this.expected === null ? "" : ` · ${lasting(this.expected)}`;
    const runs = this.#state === "running";
    this.runButton.textContent = runs ? "Interrupt" : `Run${takes}`;
    this.runButton.setAttribute(
      "aria-label",
      `${this.runButton.textContent}, ${this.name}`, // who says what stands there must be understood
    );
    const edit = this.#editor ? "Close" : this.hasCode ? "Edit" : "Code";
    this.editButton.textContent = edit;
    this.editButton.setAttribute(
      "aria-label",
      `${edit}${edit === "Code" ? " of" : ""} ${this.name}`,
    );
    this.resetButton.hidden = !this.edited;
    this.bookButton.hidden = !this.#output || !this.#bookOutput || runs;
    this.bookButton.textContent = this.#beside ? "Hide the book's" : "Show the book's";
    const said = this.#words();
    if (this.said.textContent !== said) this.said.textContent = said;
  }

  #words() {
    const yours = this.edited ? "edited" : "";
    if (this.#state === "running") {
      const of = this.expected === null ? "" : ` of about ${lasting(this.expected)}`;
      return `Running for ${lasting(this.running)}${of}`;
    }
    if (this.#state === "waiting") return "Waits for its turn";
    if (this.#state === "failed") return "Stopped by an error";
    if (this.ran !== null) {
      const time = new Date(this.ran).toLocaleTimeString([], {
        hour: "2-digit",
        minute: "2-digit",
      });
      return `${yours ? "Your edit, yours" : "Yours"}, ${time}`;
    }
    return yours;
  }
}
