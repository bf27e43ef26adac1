// What a press on "Write it here" opens below an exercise: its program in an editor, the check on the model, what the check says,
// and the files that a reader hands in. `write` is called by change.js.
import { editorInstead, programArea, RUN_KEYS, saveAs } from "./area.js";
import { Runner } from "./runner.js";
import { zipOf } from "./zip.js";

const { el, button, setOff, storage } = globalThis.LabDom;
const model = globalThis.LabSimulator;
const { folder, nodes } = model;
const MOST_LETTERS = 100_000;
const MARKS = { held: "✓", missed: "✗", void: "✗", left: "·", noisy: "?", broken: "!" };
const NARROW = "(max-width: 960px)";
const STILL = "(prefers-reduced-motion: reduce)";
const WORDS = { held: "held", missed: "missed", void: "missed", left: "not checked" };
const runner = new Runner(folder);
const node = Math.max(...Object.keys(nodes).map(Number));

/** A number of points as `make check` writes it. */
const bare = (points) => String(Math.round(points * 100) / 100);

/** A hand-in's words without what could steer a terminal, cut to a length, as in a result of `make check`. */
const clean = (text, most = 4000) => {
  const plain = String(text).replaceAll(/[^\P{C}\n\t]/gu, "\ufffd");
  return plain.length <= most ? plain : `${plain.slice(0, most)} …`;
};

/** Why nothing could be checked: what all criteria say that were missed, or null if one was checked. */
const obstacleIn = (criteria) => {
  const judgements = criteria.filter(({ outcome }) => outcome !== "left");
  const [{ message = "" } = {}] = judgements;
  const isOne = judgements.every(
    (one) => one.outcome === "missed" && one.message === message && one.saw === undefined,
  );
  const isWhole = judgements.length > 1 || /^your file (cannot be loaded|exports no)/.test(message);
  return message && isOne && isWhole ? message : null;
};

class Sheet {
  /** card : the exercise on its page, with the file that one begins with */
  constructor({ place, card, leave, changed: tellPage }) {
    const { download: name, href } = card.querySelector("a[download]");
    const { here: id } = card.dataset;
    const letters = atob(href.split(",")[1]);
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const source = new TextDecoder().decode(bytes);
    Object.assign(this, { card, id, name, original: source, leave, tellPage });
    Object.assign(this, this.#kept());
    // As the card lists them, which is the order in which they are judged.
    this.criteria = [...card.querySelectorAll("li > .points")].map((points) => {
      const says = points.parentElement.cloneNode(true);
      says.querySelector(".points").remove();
      return { points: Number.parseFloat(points.textContent), says };
    });
    this.box = el("section", { class: "lab-change lab-write", "aria-label": `Write ${name}` });
    this.box.append(...this.#parts());
    place.append(this.box);
    this.#sayBest();
  }

  #parts() {
    const p = {};
    this.parts = p;
    p.area = programArea({
      label: `Program ${this.name}`,
      text: this.text,
      rows: 8,
      onchange: (text) => this.#change(text),
      onfocus: () => this.#upgrade(),
      run: () => this.check(),
    });
    p.edit = el("div", { class: "edit" }, p.area);
    p.run = button("Check", () => this.check(), {
      class: "run",
      title: RUN_KEYS,
    });
    p.best = el("span", { class: "best" });
    p.status = el("p", { class: "status", role: "status" });
    p.complaint = el("div", { class: "complaint", role: "alert" });
    p.list = el("ul", { class: "criteria" });
    return [
      el(
        "p",
        { class: "kind" },
        el("strong", {}, "Model"),
        ` of Node ${node}. The exercise's own check judges your program here, in virtual ` +
          "time. Your program stays in this browser. For a class, only the sandbox decides: ",
        el("code", {}, `make check EXERCISE=${this.id} FILE=${this.name}`),
        ".",
      ),
      el(
        "div",
        { class: "bar" },
        p.run,
        p.best,
        el(
          "span",
          { class: "rest" },
          button("Reset", () => this.reset()),
          button("Save the file", () => this.save()),
          button("All my files", () => this.saveAll()),
          button("Close", () => this.close()),
        ),
      ),
      p.edit,
      p.status,
      p.complaint,
      p.list,
    ];
  }

  /** What the browser keeps, in which another window may have written: {text, best, of}. */
  #kept() {
    const { text, best, of } = model.kept(this.card);
    return {
      text: typeof text === "string" ? text : this.original,
      best: Number.isFinite(best) ? best : null,
      of,
    };
  }

  /** Keeps what has changed here, and what others have written of the rest. */
  #keep(changes) {
    const { text, best, of } = { ...this.#kept(), ...changes };
    const isNew = text === this.original && best === null;
    const kept = { name: this.name, text, best: best ?? undefined, of };
    storage.write(model.prefix + this.id, isNew ? null : kept, this.box);
    this.tellPage();
  }

  #change(text) {
    this.text = text;
    this.#keep({ text });
  }

  /** Put the real editor in the place of the text area, once the reader is about to type. */
  async #upgrade() {
    const { area, edit } = this.parts;
    if (this.upgrading) return;
    this.upgrading = true;
    runner.prepare(node);
    this.editing = await editorInstead({
      area,
      place: edit,
      label: `Program ${this.name}`,
      onchange: (text) => this.#change(text),
      run: () => this.check(),
      leave: () => this.parts.run.focus(),
    });
  }

  /** Load what typing and checking take. */
  open() {
    return this.#upgrade();
  }

  // -- checking ----------------------------------------------------------------------------------

  check() {
    const { complaint, list, run } = this.parts;
    complaint.replaceChildren();
    list.replaceChildren();
    this.editing?.mark(null);
    this.tried = null;
    this.#sayBest();
    if (this.text.length > MOST_LETTERS)
      return this.#complain(
        `The program has ${this.text.length.toLocaleString("en")} characters, and the model ` +
          `takes at most ${MOST_LETTERS.toLocaleString("en")}. Shorten the program, or check ` +
          "it with make check.",
      );
    this.#say(this.hasRun ? "Checking …" : "Loading the model and the check (only once) …");
    setOff(run, true);
    const source = this.text.replaceAll("\r\n", "\n");
    const [seed] = crypto.getRandomValues(new Uint32Array(1));
    const program = { exercise: this.id, source, file: this.name, seed };
    const packs = ["check", `exercise-${this.id}`];
    runner.run(program, node, this.#tell, packs);
  }

  #tell = (event, more) => this[`_${event}`]?.(more);

  _begun() {
    this.hasRun = true;
    this.said = [];
    this.parts.list.replaceChildren();
    this.#say("Checking …");
  }

  _criterion({ said }) {
    this.said.push(said);
    this.#draw(said);
  }

  _judged({ criteria }) {
    setOff(this.parts.run, false);
    for (const said of criteria.slice(this.said.length)) this._criterion({ said }); // these were not decided
    const outcomes = criteria.map(({ outcome }) => outcome);
    const first = criteria.find(({ outcome }) => ["missed", "void"].includes(outcome));
    const words = first ? clean(first.message).split("\n").join(" ⏎ ") : "";
    const sum = (...kinds) =>
      this.criteria
        .filter((_, at) => kinds.includes(outcomes[at]))
        .reduce((points, one) => points + one.points, 0);
    if (first && outcomes.includes("noisy") && !outcomes.includes("broken"))
      return this.#say(
        `At least ${bare(sum("missed", "void"))} of ${bare(this.of)} points are missing (${words}). The model can't decide the rest. Check the program with make check.`,
      );
    if (["noisy", "broken"].some((outcome) => outcomes.includes(outcome)))
      return this.#say(
        "No verdict, because the model can't decide this case. Check the " +
          "program with make check.",
      );
    const points = outcomes.includes("void") ? 0 : sum("held");
    const obstacle = obstacleIn(criteria);
    const because = obstacle && clean(obstacle).split("\n").join(" ⏎ ");
    const reason = because ? ` Nothing could be checked, because ${because}` : "";
    this.#say(`${bare(points)} of ${bare(this.of)} points.${reason}`);
    if (because) this.#leavePrinted();
    this.tried = points;
    this.best = Math.max(this.#kept().best ?? 0, Number(bare(points)));
    this.#sayBest();
    this.#keep({ best: this.best });
    this.#show();
  }

  /** Where nothing could be checked: of the rows, only what the program printed stays. */
  #leavePrinted() {
    const { list } = this.parts;
    const [printed] = list.querySelectorAll("li > dl");
    list.replaceChildren(...(printed ? [el("li", {}, printed)] : []));
  }

  _refused({ sentence, isDisplaced }) {
    setOff(this.parts.run, false);
    if (isDisplaced) return this.#complain(sentence);
    const what = String(sentence).replace(/\.?( For the real thing: .*)?$/, "");
    this.#complain(`${what}. To check it for real, save the file and use make check.`);
  }

  #draw({ outcome, message = "", stdout, stderr, ...observation }) {
    const { list } = this.parts;
    const before = this.said.slice(0, -1);
    const { points, says } = this.criteria[before.length];
    const isTold = before.some((one) => message && one.message === message);
    const needed =
      this.criteria[before.findIndex(({ criterion }) => criterion === message)]?.says.textContent;
    const words =
      outcome === "left"
        ? `Not checked: it needs “${needed?.trim()}”`
        : isTold && outcome === "missed" && observation.saw === undefined
          ? "for the same reason as above"
          : clean(message);
    const printed = clean([stdout, stderr].filter(Boolean).join("\n"));
    const mark = WORDS[outcome] ?? "no verdict";
    const value = ["noisy", "broken"].includes(outcome) ? "–" : outcome === "held" ? points : 0;
    const { saw, wanted: goal } = observation;
    const facts = Object.entries({ saw, wanted: goal, printed: isTold ? "" : printed })
      .filter(([, text]) => text)
      .flatMap(([name, text]) => [
        el("dt", {}, name),
        el("dd", {}, el("pre", { tabindex: 0 }, clean(text))),
      ]);
    const item = el(
      "li",
      { class: outcome },
      el("span", { "aria-label": mark, role: "img" }, MARKS[outcome]),
      ` ${bare(value)}/${bare(points)} `,
      ...says.cloneNode(true).childNodes,
    );
    if (words) item.append(el("p", { class: "message" }, words));
    if (facts.length) item.append(el("dl", {}, ...facts));
    list.append(item);
    const line = /\((\S+), line (\d+)\)/.exec(words);
    if (line?.[1] === this.name && outcome === "missed") this.editing?.mark(Number(line[2]));
  }

  #say(text) {
    this.parts.status.textContent = text;
  }

  /** The points of the last try and the best points, beside the button. */
  #sayBest() {
    const all = { "This try": this.tried, "Your best here": this.best };
    this.parts.best.textContent = Object.entries(all)
      .filter(([, points]) => Number.isFinite(points))
      .map(([name, points]) => `${name}: ${bare(points)} of ${bare(this.of)} points`)
      .join(". ");
  }

  /** Brings the result into view on a narrow screen, where the editor fills the screen. */
  #show() {
    if (!matchMedia(NARROW).matches) return;
    const behavior = matchMedia(STILL).matches ? "auto" : "smooth";
    this.parts.status.scrollIntoView({ block: "center", behavior });
  }

  #complain(text) {
    this.#say("");
    this.parts.complaint.replaceChildren(el("p", {}, text));
    this.#show();
  }

  // -- what else a reader does -------------------------------------------------------------------

  reset() {
    if (this.editing) this.editing.text = this.original;
    else this.parts.area.value = this.original;
    this.#change(this.original);
    this.parts.list.replaceChildren();
    this.tried = null;
    this.#sayBest();
    this.#say("The program is back to the starter. Your best points stay.");
  }

  save() {
    saveAs(this.name, [this.text]);
    this.#say(
      `Saved as ${this.name}. Check it outside the model: make check EXERCISE=${this.id} ` +
        `FILE=${this.name}`,
    );
  }

  /** All programs that were written on pages of this book, in one archive as a class takes it. */
  saveAll() {
    const files = new Map([[this.name, this.text]]);
    for (const key of storage.keys(model.prefix)) {
      const { name, text } = storage.read(key) ?? {};
      if (/^[\w-]+\.[cm]js$/.test(name) && typeof text === "string") files.set(name, text);
    }
    saveAs("my-exercises.zip", [zipOf(files)], "application/zip");
    const number = files.size === 1 ? "one program" : `${files.size} programs`;
    this.#say(`Saved ${number} as my-exercises.zip, which you can give to make grade.`);
  }

  close() {
    runner.stop(this.#tell);
    this.editing?.close();
    this.box.remove();
    this.leave();
  }
}

model.write = (options) => new Sheet(options);
