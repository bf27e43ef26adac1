// What a press on "Change it" opens: the program in an editor, the Node that is chosen, what the model prints,
// its replay, and all orders. `open` is called by change.js, and by lab.js on the page of the Loop Lab.
import { kindOf } from "../program.js";
import { editorInstead, programArea, RUN_KEYS, saveAs } from "./area.js";
import { hintFor } from "./hints.js";
import { addLevels } from "./levels.js";
import { Runner } from "./runner.js";
import { linkTo } from "./share.js";

const { el, button, setOff } = globalThis.LabDom;
const { folder, nodes } = globalThis.LabSimulator;
const LINES_SHOWN = 400; // of what a program prints; the rest is counted
const LINES_OF_ORDER = 40;
const ORDERS_SHOWN = 10;
const STORED_NODE = "lab-model:node";
const MOST_LETTERS = 100_000;
const runner = new Runner(folder);

/** Fill an element; what is null is left out. */
const fill = (element, ...children) =>
  element.replaceChildren(...children.flat().filter((child) => child !== null));

const newest = () => Math.max(...Object.keys(nodes).map(Number));

class Panel {
  /** name : of the program's file; source : its text, that Reset brings back; isLab : on the page of the Loop Lab */
  constructor({ place, name, source, isLab = false, leave = null }) {
    Object.assign(this, { name, original: source, text: source, isLab, leave });
    this.node = this.#node();
    this.box = el("section", {
      class: "lab-change",
      "aria-label": isLab ? "Loop Lab" : `Change ${name}`,
    });
    this.box.append(...this.#parts());
    place.append(this.box);
  }

  /** The Node that a reader chose last, as far as this site has it. */
  #node() {
    const stored = Number(globalThis.LabDom.storage.get(STORED_NODE));
    return stored in nodes ? stored : newest();
  }

  #parts() {
    const p = {};
    this.parts = p;
    p.node = el(
      "select",
      { "aria-label": "Node", onchange: () => this.#chooseNode(Number(p.node.value)) },
      ...Object.keys(nodes)
        .sort((a, b) => b - a)
        .map((major) =>
          el("option", { value: major, selected: Number(major) === this.node }, `Node ${major}`),
        ),
    );
    p.run = button("Run", () => this.run(), {
      class: "run",
      title: RUN_KEYS,
    });
    p.kind = el(
      "select",
      { "aria-label": "Kind of program", onchange: () => this.#rename(p.kind.value) },
      el("option", { value: "cjs" }, "CommonJS"),
      el("option", { value: "mjs" }, "ES module"),
    );
    p.predict = el("input", { type: "checkbox" });
    p.edit = el("div", { class: "edit" });
    p.area = programArea({
      label: this.#label(),
      text: this.text,
      rows: 6,
      onchange: (text) => this.#change(text),
      onfocus: () => this.#upgrade(),
      run: () => this.run(),
    });
    p.edit.append(p.area);
    p.status = el("p", { class: "status", role: "status" });
    p.complaint = el("div", { class: "complaint", role: "alert" });
    p.result = el("div", { class: "result", hidden: true });
    p.reset = button("Reset", () => this.reset());
    p.real = el("p", { class: "real" });
    this.#sayReal();
    return [
      el(
        "p",
        { class: "kind" },
        el("strong", {}, "Model"),
        ": Node's own JavaScript runs on another engine, over a loop in virtual time. The " +
          "model predicts orders and measures nothing. Your program stays in this browser.",
      ),
      el(
        "div",
        { class: "bar" },
        p.node,
        p.kind,
        p.run,
        el("label", {}, p.predict, " let me predict the order first"),
        el(
          "span",
          { class: "rest" },
          p.reset,
          button("Save as a file", () => this.save()),
          this.isLab ? button("Copy a link", () => this.share()) : this.#labLink(),
          this.leave ? button("Close", () => this.close()) : null,
        ),
      ),
      p.edit,
      p.status,
      p.complaint,
      p.result,
      p.real,
    ];
  }

  #label() {
    return `Program ${this.name}`;
  }

  /** The Loop Lab with this program in it, wherever the site lies. */
  #labLink() {
    const link = el("a", { class: "lab-link", href: labPage() }, "Open in the Loop Lab");
    const point = async () => {
      link.href = `${labPage()}${await linkTo(this)}`;
    };
    for (const kind of ["pointerenter", "focus"]) link.addEventListener(kind, point);
    return link;
  }

  /** The same program under the name that makes it CommonJS, or a module. */
  #rename(kind) {
    this.name = this.name.replace(/\.[cm]?js$/, `.${kind}`);
    this.#sayReal();
    this.onchange?.();
  }

  /** The kind of the program; before a run parses it, the words of a `.js` file say what it may be. */
  #sayKind(kind = kindOf(this.text, this.name)) {
    this.parts.kind.value = kind.replace("esm", "mjs");
  }

  #sayReal() {
    this.#sayKind();
    this.parts.real.replaceChildren(
      "To run it for real, save it as a file: ",
      el("code", {}, `node ${this.name}`),
      ". To record what your Node does, run this in the folder of the book: ",
      el("code", {}, `python -m lab.trace ${this.name}`),
      ".",
    );
  }

  /** Another program in the same panel. */
  show({ name, source }) {
    Object.assign(this, { name, original: source });
    this.#setText(source);
    this.parts.area.setAttribute("aria-label", this.#label());
    this.#sayReal();
    this.#clear();
  }

  #setText(text) {
    this.text = text;
    if (this.editing) this.editing.text = text;
    else this.parts.area.value = text;
  }

  #change(text) {
    this.text = text;
    this.#sayKind();
    this.onchange?.();
  }

  /** Put the real editor in the place of the text area, once the reader is about to type. */
  async #upgrade({ focus = true } = {}) {
    const { area, edit } = this.parts;
    if (this.upgrading) return;
    this.upgrading = true;
    runner.prepare(this.node);
    this.editing = await editorInstead({
      area,
      place: edit,
      label: this.#label(),
      onchange: (text) => this.#change(text),
      run: () => this.run(),
      leave: () => this.parts.run.focus(),
      focus,
    });
  }

  /** Load what typing and running take. */
  open() {
    return this.#upgrade();
  }

  /** Another Node, for this program alone. */
  take(major) {
    this.node = major;
    this.parts.node.value = major;
  }

  #chooseNode(major) {
    this.node = major;
    globalThis.LabDom.storage.set(STORED_NODE, String(major));
    if (!this.parts.result.hidden) this.run();
  }

  // -- running -----------------------------------------------------------------------------------

  run() {
    this.#clear();
    if (this.text.length > MOST_LETTERS)
      return this.#complain(
        `The program has ${this.text.length.toLocaleString("en")} characters, and the model ` +
          `takes at most ${MOST_LETTERS.toLocaleString("en")}. Shorten the program, or run it ` +
          "for real.",
      );
    this.#say(this.hasRun ? "Running …" : "Loading the model (only once) …");
    setOff(this.parts.run, true);
    const program = { source: this.text.replaceAll("\r\n", "\n"), file: this.name };
    this.asked = this.parts.predict.checked;
    return new Promise((done) => {
      this.done?.();
      this.done = done;
      runner.run(program, this.node, this.#tell);
    });
  }

  #tell = (event, more) => {
    try {
      this[`_${event}`]?.(more);
    } catch {
      this.#complain("The model gave a result that can't be shown.");
    }
    if (["orders", "refused"].includes(event)) {
      setOff(this.parts.run, false);
      this.done?.();
    }
  };

  _begun({ version, kind }) {
    this.hasRun = true;
    this.#sayKind(kind);
    this.version = String(version);
    this.#say("Running …");
  }

  _refused({ sentence }) {
    if (/\n\nSyntaxError: /.test(sentence)) this.#unparsed(sentence);
    else this.#complain(String(sentence), hintFor(String(sentence), this.text));
  }

  /** A text that does not parse: what Node says of it, and the line marked. */
  #unparsed(report) {
    const text = String(report).replaceAll(/(file:\/\/)?\/home\/you\//g, "");
    const line = Number(/:(\d+)$/m.exec(text)?.[1]);
    this.editing?.mark(line);
    this.#complain(text, hintFor(text, this.text));
  }

  /** The first run: what it prints, and its replay. */
  _ran({ trace, order, notes }) {
    if (!this.asked) this.#draw({ trace, orders: [order], notes });
    this.#say(`Model of Node ${this.version.replace("v", "")}. Looking for other orders …`);
  }

  /** All orders, the likeliest first. */
  _orders({ trace, orders, cut, notes }) {
    const number = orders.length;
    const more = cut ? ", and there may be more" : "";
    this.#say(
      `Model of Node ${this.version.replace("v", "")}: ${number === 1 ? "one order" : `${number} orders`}${more}.`,
    );
    if (this.asked) this.#draw({ trace, orders, cut, notes });
    else fill(this.parts.orders, this.#ordersOf(orders, cut, trace));
    if (number === 1) return;
    // A reader who steps already keeps the run with which the replay began.
    if (!this.asked && !this.#isUntouched())
      return this.#title("In the run that you step through, it prints");
    if (!this.asked) {
      this.replay.load(trace);
      fill(this.parts.printed, this.#printed(orders[0], notes));
    }
    this.#title("It prints, in the likeliest order");
  }

  #isUntouched() {
    const { view } = this.replay ?? {};
    return !view || view.at === view.walk.first;
  }

  #title(words) {
    const title =
      this.parts.printed.querySelector(".lines") && this.parts.printed.firstElementChild;
    if (title) title.textContent = words;
  }

  #clear() {
    const { result, complaint } = this.parts;
    result.hidden = true;
    result.replaceChildren();
    complaint.replaceChildren();
    this.replay = null;
    this.editing?.mark(null);
  }

  #say(text) {
    this.parts.status.textContent = text;
  }

  #complain(text, hint = null) {
    this.#say("");
    const [first, ...rest] = text.split("\n");
    fill(
      this.parts.complaint,
      rest.length > 0 ? el("pre", { tabindex: 0 }, text) : el("p", {}, first),
      hint ? el("p", {}, hint) : null,
    );
  }

  #draw({ trace, orders, cut = false, notes }) {
    const p = this.parts;
    p.printed = el("div", { class: "printed" }, ...this.#printed(orders[0], notes));
    p.orders = el("details", { class: "orders" }, ...this.#ordersOf(orders, cut, trace));
    this.replay = el(
      "loop-replay",
      { predict: this.asked },
      el("script", { type: "application/json" }, JSON.stringify(trace)),
    );
    const words = el("div", { class: "told" }, p.printed, p.orders);
    p.result.replaceChildren(words, this.replay);
    addLevels(this.replay);
    p.result.hidden = false;
    this.replay.begin?.(); // the reader has asked for it: no page opens meanwhile
    // What gives the order away waits until the reader has said theirs.
    const isCovered = this.replay.view?.parts.replay.hidden === true;
    words.hidden = isCovered;
    if (isCovered)
      this.replay.addEventListener("lab-uncovered", () => {
        words.hidden = false;
      });
  }

  #printed({ lines, code, report }, notes) {
    const firstLines = lines.slice(0, LINES_SHOWN);
    const moreLines = lines.length - firstLines.length;
    const error = code
      ? String(report)
          .replaceAll(/(file:\/\/)?\/home\/you\//g, "")
          .trim()
      : "";
    const hint = error ? hintFor(error, this.text) : null;
    return [
      el("p", { class: "title" }, lines.length > 0 ? "It prints" : "It prints nothing."),
      lines.length > 0
        ? el(
            "pre",
            { class: "lines", tabindex: 0, "aria-label": "What the program prints" },
            firstLines.join("\n"),
          )
        : null,
      moreLines > 0 ? el("p", {}, `… and ${moreLines.toLocaleString("en")} lines more.`) : null,
      error ? el("pre", { class: "error", tabindex: 0, "aria-label": "Error" }, error) : null,
      hint ? el("p", { class: "hint" }, hint) : null,
      code ? el("p", {}, `It ends with exit code ${code}.`) : null,
      ...notes.map((note) => el("p", {}, note)),
    ];
  }

  #ordersOf(orders, cut, trace) {
    const number = orders.length;
    const firstOrders = orders.slice(0, ORDERS_SHOWN);
    const items = firstOrders.map((order, at) => {
      const lines = order.lines.slice(0, LINES_OF_ORDER);
      const moreLines = order.lines.length - lines.length;
      const place = trace?.versions[0]?.recordings.findIndex((one) => one.order === at) ?? -1;
      return el(
        "li",
        {},
        el("p", {}, at === 0 ? "The likeliest. " : "", because(order)),
        el(
          "pre",
          { tabindex: 0, "aria-label": `Order ${at + 1}` },
          lines.length > 0 ? lines.join("\n") : "(nothing)",
          moreLines > 0 ? `\n… ${moreLines} lines more` : "",
        ),
        number > 1 && place >= 0
          ? button("Step through it", () => this.#step(place, trace), {
              "aria-label": `Step through order ${at + 1}`,
            })
          : null,
      );
    });
    const moreOrders = number - firstOrders.length;
    return [
      el("summary", {}, `All orders: ${number}${cut ? " or more" : ""}`),
      el("ol", {}, ...items),
      moreOrders > 0 ? el("p", {}, `… and ${moreOrders} that are less likely.`) : null,
    ];
  }

  #step(number, trace) {
    const { replay } = this;
    if (replay.view?.data !== trace) replay.load(trace);
    replay.view.select(number);
    replay.scrollIntoView({ block: "nearest" });
    replay.view.parts.next.focus();
  }

  // -- what else a reader does -------------------------------------------------------------------

  reset() {
    this.#setText(this.original);
    this.#sayKind();
    this.#clear();
    this.#say("The program is back to its original text.");
    this.onchange?.();
  }

  save() {
    saveAs(this.name, [this.text]);
    this.#say(`Saved as ${this.name}. Run it for real: node ${this.name}`);
  }

  async share() {
    const address = `${labPage()}${await linkTo(this)}`;
    try {
      await navigator.clipboard.writeText(address);
      this.#say(
        "The link is copied. It contains the program, which runs when a reader presses Run.",
      );
    } catch {
      location.hash = new URL(address).hash;
      this.#say("The address of this page is now the link. Copy it from the address bar.");
    }
  }

  close() {
    runner.stop(this.#tell);
    this.editing?.close();
    this.box.remove();
    this.leave();
  }
}

const labPage = () =>
  new URL("../../book/event-loop/loop-lab.html", new URL(folder, location.href)).href;

function because({ because: reasons = [] }) {
  if (reasons.length === 0) return "If code takes next to no time.";
  const text = reasons.join("; ");
  return `If ${text}.`;
}

globalThis.LabSimulator.open = (options) => new Panel(options);
