// The live part of a page: put into its head by the server that has the kernels (lab/live/book.py). A page from
// anywhere else never loads it. It takes nothing from the page's address but which page it is.

import { Cell } from "./cell.js";
import { fault } from "./faults.js";
import { GluedNumbers } from "./numbers.js";
import { glued } from "./outputs.js";
import * as store from "./store.js";
import { button, cells as counted, el, lasting } from "./words.js";

const own = document.getElementById("lab-live");
const root = new URL(own.dataset.root, location.href);
const page = decodeURIComponent(location.pathname.slice(root.pathname.length)).replace(
  /\.html$/,
  "",
);
const key = new URL(`${page}`, root).pathname;
const TAB = "lab-live-tab";
const NOTEBOOK =
  " JupyterLab also has this chapter open, with its own kernel. The two kernels do not share " +
  "variables.";

class LivePage {
  #cells = [];
  #byIndex = new Map();
  #numbers;
  #kernel = null;
  #running = null; // the cell that runs
  #queue = [];
  #busy = false;
  #ran = {}; // index → what code the kernel has run
  #notebook = false; // whether JupyterLab has a kernel for this chapter, too
  #parts;
  #status;
  #allButton;
  #stop;
  #restartButton;
  #discardButton;
  #takeButton;
  #fault = null;

  constructor(article, { kernel, cells, shown: indexes, glued: names, parts }) {
    this.#parts = parts;
    const places = [...article.querySelectorAll("div.cell")];
    const placeOf = new Map();
    if (places.length === indexes.length)
      for (const [i, index] of indexes.entries()) placeOf.set(index, places[i]);
    for (const description of cells) {
      const place = placeOf.get(description.index) ?? null;
      const number = this.#cells.filter((cell) => cell.pressed).length + 1;
      this.#add(new Cell(description, { place, number, kernel }));
    }
    this.#numbers = new GluedNumbers(article, names);
    this.#bar(article);
  }

  #add(cell) {
    this.#cells.push(cell);
    this.#byIndex.set(cell.index, cell);
    cell.addEventListener("run", () => this.#press(cell));
    cell.addEventListener("change", () => store.keep(key, cell.index, cell.record));
    cell.addEventListener("draw", ({ detail }) => this.#bring(detail));
    cell.addEventListener("gone", () => this.#happened(fault("gone")));
  }

  recall(known) {
    for (const record of known) {
      const cell = this.#byIndex.get(record.index);
      // The book's cell is another by now: what came of the old one says nothing about it.
      if (!cell || record.source !== cell.source) store.forget(key, record.index);
      else {
        cell.recall(record);
        if (record.outputs) this.#numbers.show(glued(record.outputs));
      }
    }
    this.#say();
  }

  #bar(article) {
    this.#status = el("span", { class: "lab-live-status", role: "status" });
    this.#allButton = button("Run all", () => this.#runAll(), { class: "lab-live-run" });
    this.#stop = button("Interrupt", () => this.#interrupt(), { hidden: true });
    this.#restartButton = button("Restart", () => this.#restart(), { hidden: true });
    this.#discardButton = button("Back to the book's page", () => this.#discard(), {
      hidden: true,
    });
    this.#takeButton = button("Run it here instead", () => this.#takeOver(), { hidden: true });
    const base = new URL(own.dataset.base, location.href);
    const lab = el("a", { href: new URL(`lab/tree/${page}.md`, base).href }, "JupyterLab");
    const bar = el(
      "section",
      { class: "lab-live-page", "aria-label": "Run this page" },
      this.#allButton,
      this.#stop,
      this.#restartButton,
      this.#discardButton,
      this.#takeButton,
      this.#status,
      lab,
    );
    article.append(bar);
    const { classList, style } = document.documentElement;
    classList.add("lab-is-live");
    new ResizeObserver(() =>
      style.setProperty("--lab-live-page", `${Math.ceil(bar.offsetHeight)}px`),
    ).observe(bar);
    this.#say();
  }

  #tell(text) {
    this.#fault = text ? { message: text } : null;
    this.#say();
  }

  /** Run pressed at a cell: stop it if it runs, else run it, and offer what stands before it. */
  #press(cell) {
    if (cell === this.#running) return this.#interrupt();
    if (this.#queue.includes(cell)) return this.#unqueue();
    const before = this.#missing(cell);
    const pressedCells = before.filter((one) => one.pressed);
    const after = this.#along(cell);
    if (pressedCells.length === 0) return this.#run([...before, cell, ...after]);
    const takes = this.#takes([...before, cell]);
    return cell.ask(
      `${cell.name[0].toUpperCase()}${cell.name.slice(1)} may need what ${counted(pressedCells.length)} before it ${pressedCells.length === 1 ? "makes" : "make"}.`,
      [
        [
          `Run ${counted(pressedCells.length + 1)}${takes}`,
          () => this.#run([...before, cell, ...after]),
        ],
        ["Only this one", () => this.#run([cell, ...after])],
      ],
    );
  }

  #runAll() {
    return this.#run([...this.#cells]);
  }

  /** Those above that the kernel does not know yet. */
  #missing(cell) {
    return this.#cells
      .slice(0, this.#cells.indexOf(cell))
      .filter(
        (one) =>
          this.#ran[one.index] === undefined || (one.edited && this.#ran[one.index] !== one.code),
      );
  }

  /** The hidden ones after a cell belong to it: they make its numbers. */
  #along(cell) {
    const rest = this.#cells.slice(this.#cells.indexOf(cell) + 1);
    const next = rest.findIndex((one) => one.pressed);
    return next < 0 ? rest : rest.slice(0, next);
  }

  #takes(cells) {
    const known = cells.filter((one) => one.expected !== null);
    if (known.length < cells.length / 2) return "";
    // Of those that are not known it only is that they take a while, too.
    return `, ${known.length < cells.length ? "at least" : "about"} ${lasting(known.reduce((sum, one) => sum + one.expected, 0))}`;
  }

  async #run(cells, options) {
    if (this.#busy) {
      for (const cell of cells)
        if (cell !== this.#running && !this.#queue.includes(cell)) this.#queue.push(cell);
      for (const cell of this.#queue) cell.waiting();
      this.#say();
      return;
    }
    this.#busy = true;
    this.#tell(null);
    this.#queue = [...cells];
    for (const cell of cells) cell.waiting();
    try {
      await this.#start(options);
      while (this.#queue.length > 0) await this.#one(this.#queue.shift());
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#unqueue();
      // Also what an edited cell left behind in the kernel may be in what came after it.
      if (this.#kernel?.running)
        await this.#kernel.ran(
          this.#cells.every(
            ({ index, source }) => this.#ran[index] === undefined || this.#ran[index] === source,
          ),
        );
      this.#busy = false;
      this.#running = null;
      this.#say();
    }
  }

  #unqueue() {
    for (const cell of this.#queue) cell.idle();
    this.#queue = [];
  }

  async #start(options) {
    if (this.#kernel?.running) return;
    this.#say("Starting …");
    const { PageKernel } = await import("./kernel.js").catch(() => {
      throw fault("gone");
    });
    this.#kernel ??= new PageKernel({
      base: own.dataset.base,
      root: own.dataset.root,
      page,
      tab: this.#tab(),
      tell: (fault) => this.#happened(fault),
    });
    const { fresh, notebook } = await this.#kernel.start(options);
    this.#takeButton.hidden = true; // there is nothing to be taken over any more
    this.#notebook = notebook;
    const known = store.tab.read(key);
    this.#ran = !fresh && known?.kernel === this.#kernel.id ? known.ran : {};
  }

  #tab() {
    let tab = store.tab.read(TAB);
    if (!tab) {
      tab = [...crypto.getRandomValues(new Uint8Array(12))].map((n) => n.toString(16)).join("");
      store.tab.write(TAB, tab);
    }
    return tab;
  }

  async #one(cell) {
    this.#running = cell;
    const outputs = cell.begin();
    this.#say();
    const { code } = cell;
    let reply = null;
    try {
      reply = await this.#kernel.execute(code, (message) => outputs.take(message));
    } finally {
      cell.end(reply?.status !== "ok");
      this.#numbers.show(glued(outputs.list));
    }
    if (reply.status !== "ok" && !cell.mayFail) {
      const interrupted = outputs.list.some((one) => /Interrupt/.test(one.name ?? ""));
      this.#tell(
        interrupted
          ? "Interrupted."
          : `${cell.number ? `Cell ${cell.number}` : "A hidden cell"} stopped with an error, ` +
              "so the cells after it have not run.",
      );
      this.#unqueue();
      return;
    }
    this.#ran[cell.index] = code;
    store.tab.write(key, { kernel: this.#kernel.id, ran: this.#ran });
  }

  async #interrupt() {
    this.#unqueue();
    try {
      await this.#kernel?.interrupt();
    } catch (error) {
      this.#failed(error);
    }
  }

  async #restart() {
    await this.#end();
    this.#tell("Restarted: no cell has run yet. Your results stay until you run the cells again.");
  }

  async #discard() {
    await store.forgetAll(key);
    for (const cell of this.#cells) cell.discard();
    this.#numbers.back();
    await this.#end();
    this.#tell("This is the book's page again.");
    this.#allButton.focus();
  }

  async #end() {
    this.#unqueue();
    this.#forget();
    try {
      await this.#kernel?.end();
    } catch {
      // It has ended already, or the server has: nothing is left to be ended.
    }
  }

  async #takeOver() {
    this.#takeButton.hidden = true;
    await this.#run([], { take: true });
  }

  /** The kernel knows nothing any more: one that died is started again by itself, under its name. */
  #forget() {
    this.#ran = {};
    store.tab.write(key, null);
  }

  #happened(fault) {
    if (fault?.kind === "died" || fault?.kind === "elsewhere") this.#forget();
    if (fault?.kind === "elsewhere") this.#takeButton.hidden = false;
    // All is well again, as far as a fault of the server was told.
    if (fault || this.#fault?.kind === "gone") this.#fault = fault;
    this.#say();
  }

  #failed(error) {
    this.#takeButton.hidden = error.kind !== "elsewhere";
    if (error.kind === "died") this.#forget();
    this.#fault = error;
  }

  /** Load the script and style of a component that the built page has no need of. */
  #bring(html) {
    for (const [name, mark] of Object.entries(this.#parts)) {
      if (!new RegExp(mark).test(html)) continue;
      const style = name.endsWith(".css");
      if (document.querySelector(`[${style ? "href" : "src"}*="_static/${name}"]`)) continue;
      const url = new URL(`_static/${name}`, root).href;
      const part = style
        ? el("link", { rel: "stylesheet", href: url })
        : Object.assign(el("script", { src: url }), { async: false }); // one after another
      document.head.append(part);
    }
  }

  #say(now) {
    const cellsLeft = [this.#running, ...this.#queue].filter(Boolean);
    const mine = this.#cells.filter((one) => one.outputs || one.edited);
    this.#allButton.hidden = this.#busy;
    this.#allButton.textContent = `Run all${this.#takes(this.#cells)}`;
    this.#stop.hidden = !this.#busy;
    this.#restartButton.hidden = this.#busy || !this.#kernel?.running;
    this.#discardButton.hidden = this.#busy || mine.length === 0;
    const status =
      this.#fault?.message ??
      now ??
      (this.#running
        ? `Running, ${counted(cellsLeft.length)} left${this.#takes(cellsLeft)}`
        : mine.length > 0
          ? `${counted(mine.filter((one) => one.outputs).length)} of ${this.#cells.length} show what ran here.`
          : "This page runs here, on this machine.") +
        (this.#notebook && !(this.#fault instanceof Error) && !this.#busy ? NOTEBOOK : "");
    this.#status.classList.toggle("lab-live-fault", this.#fault instanceof Error);
    if (this.#status.textContent !== status) this.#status.textContent = status;
    own.dataset.state = this.#busy ? "busy" : this.#fault instanceof Error ? "fault" : "idle";
  }
}

function get(name) {
  // A hub wants to see the cookie twice where a page fetches.
  const xsrf = /(?:^|; )_xsrf=([^;]*)/.exec(document.cookie)?.[1] ?? "";
  return fetch(new URL(`_live/${name}`, root), {
    cache: "no-cache",
    headers: { "x-xsrftoken": xsrf },
  });
}

/** On the page that puts a reader's results beside the book's: those of this machine, as they are now. */
async function offerResults(component) {
  await customElements.whenDefined("lab-yours");
  const show = button("Show what was measured here", async () => {
    show.disabled = true;
    const response = await get("my-results.json").catch(() => null);
    show.disabled = false;
    const text = (await response?.text().catch(() => null)) ?? null;
    if (response?.ok) return component.show(text, "my-results.json");
    let why = fault("gone").message;
    try {
      why = JSON.parse(text).message ?? why;
    } catch {
      // As above.
    }
    said.textContent = why;
  });
  const said = el("span", { class: "lab-live-status", role: "status" });
  component.before(
    el("section", { class: "lab-live-page", "aria-label": "Your results" }, show, said),
  );
}

async function begin() {
  const article = document.querySelector("article.bd-article");
  if (!article || !/^[a-z0-9/-]+$/.test(page)) return;
  const component = article.querySelector("lab-yours");
  if (component) {
    await offerResults(component);
    own.dataset.state = "idle";
    return;
  }
  const response = await get(`${page}.json`);
  if (!response.ok) return;
  const cells = await response.json();
  const known = await store.all(key); // before anything can be pressed
  new LivePage(article, cells).recall(known);
}

begin();
