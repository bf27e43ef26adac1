// Runs programs on the model of Node in a sandboxed frame, and tells what came of them. Nothing of a program is
// evaluated in the page, and what comes back is data.

const SILENT_MS = 1900; // a run that has begun and says nothing for so long is ended
const SILENT_CHECK_MS = 6000; // the same of a check, for which worker.js has more patience
const LOADING_MS = 30_000;
const gone = (ms) =>
  `The program was stopped because it kept the model busy for ${Math.round(ms / 1000)} s, perhaps with memory or ` +
  "long texts.";
const DISPLACED = "The program was stopped because another program on this page was started.";
const NOT_LOADED =
  "The model could not be loaded, because this browser does not let the page read its own " +
  "files. Another browser may work.";

const model = globalThis.LabSimulator;
model.texts ??= new Map(); // packed texts of modules by their files, for all runners of a page
globalThis.labModelTexts = (name, packed) => model.texts.set(name, packed);
const loads = (names) => model.load(...names.map((name) => `${name}.js`));
const textsIn = (names) => names.map((name) => model.texts.get(name));

export class Runner {
  #frame = null;
  #ready = null;
  #sent = new Set();
  #count = 0;
  #current = null;

  /** folder : the address of the folder with engine.html and the Nodes, with a slash at its end */
  constructor(folder) {
    this.folder = folder;
  }

  /**
   * Runs {source, file} on the Node of that major version; `tell(what, more)` is called with "begun", then
   * "ran" and "orders", for a program with `plans` "served", or "refused" with a sentence. A program with an `exercise` is
   * judged, with the files of `packs`: "criterion" comes for each, then "judged". A new run ends the one before, of which another
   * `tell` hears that it is "refused".
   */
  async run(program, node, tell, packs = []) {
    const id = ++this.#count;
    const before = this.stop(this.#current?.tell);
    this.#current = { id, node, program, tell };
    if (before && before !== tell) before("refused", { sentence: DISPLACED, isDisplaced: true });
    this.#wait(LOADING_MS, NOT_LOADED);
    try {
      await Promise.all([this.#open(), loads([`node-${node}`, ...packs])]);
    } catch {
      return this.#refuse(id, NOT_LOADED);
    }
    if (this.#current?.id !== id) return;
    this.#give({ id, node, program, later: textsIn(packs) });
  }

  /** Ends the run that is told to `tell`, which hears no more of it; a run of another `tell` goes on. Returns `tell` where there was one. */
  stop(tell) {
    if (!this.#current || this.#current.tell !== tell) return undefined;
    clearTimeout(this.timer);
    this.#current = null;
    this.#end();
    return tell;
  }

  #give({ node, ...more }) {
    const texts = this.#sent.has(node) ? undefined : model.texts.get(`node-${node}`);
    this.#sent.add(node);
    this.#post({ node, texts, ...more });
  }

  /** The program again, with the texts of modules that few programs need. */
  async #complete({ id, node, program }, packs) {
    const names = packs.map((pack) => `${pack}-${node}`);
    try {
      await loads(names);
    } catch {
      return this.#refuse(id, NOT_LOADED);
    }
    if (this.#current?.id === id) this.#give({ id, node, program, later: textsIn(names) });
  }

  /** Begins to load, while the reader still types: what Run then waits for is a machine. */
  prepare(node) {
    Promise.all([this.#open(), loads([`node-${node}`])])
      .then(() => {
        if (!this.#current && !this.#sent.has(node)) this.#give({ node, isToPrepare: true });
      })
      .catch(() => {}); // Run says it
  }

  #open() {
    this.#ready ??= new Promise((resolve, reject) => {
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts");
      frame.title = "The model of Node";
      frame.hidden = true;
      frame.src = `${this.folder}engine.html`;
      this.#frame = frame;
      addEventListener("message", ({ source, data }) => {
        if (source !== frame.contentWindow || typeof data !== "object" || !data) return;
        if (data.what === "ready") resolve();
        else if (data.what === "broken") {
          reject(new Error(String(data.sentence)));
          this.#refuse(this.#current?.id, NOT_LOADED);
        } else this.#receive(data);
      });
      document.body.append(frame);
    });
    return this.#ready;
  }

  #receive({ id, what: event, ...more }) {
    if (event === "refused") this.#sent.clear(); // perhaps there is no machine: the next one needs its texts
    if (!this.#current || this.#current.id !== id) return;
    const { tell, program } = this.#current;
    if (event === "lacking") {
      this.#wait(LOADING_MS, NOT_LOADED);
      return this.#complete(this.#current, more.packs);
    }
    if (["orders", "served", "judged", "refused"].includes(event)) {
      clearTimeout(this.timer);
      this.#current = null;
    } else {
      const ms = program.exercise ? SILENT_CHECK_MS : SILENT_MS;
      this.#wait(ms, gone(ms));
    }
    tell(event, more);
  }

  #wait(ms, sentence) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const id = this.#current?.id;
      this.#end();
      this.#refuse(id, sentence);
    }, ms);
  }

  #refuse(id, sentence) {
    if (!this.#current || this.#current.id !== id) return; // a model that breaks while nothing runs is told by the next run
    const { tell } = this.#current;
    clearTimeout(this.timer);
    this.#current = null;
    tell("refused", { sentence });
  }

  /** End the worker, and have the next one ready. */
  #end() {
    const [node] = this.#sent;
    this.#sent.clear();
    this.#post({ what: "end" });
    if (node) this.#give({ node, isToPrepare: true });
  }

  #post(message) {
    this.#frame?.contentWindow?.postMessage(message, "*"); // a sandboxed frame has no origin to name
  }
}
