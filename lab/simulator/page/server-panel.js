// What a press on "Change this server" opens: its handler in an editor, its clients in fields, and how long they waited, and
// for what, in the model; beside it what was measured of the book's own code. `serve` is called by change.js.
import { hasWait, loadOf, plansOf, resultOf, summaryOf, waitsOf } from "../servers.js";
import { editorInstead, programArea, saveAs } from "./area.js";
import { Runner } from "./runner.js";
import { exported } from "./server-export.js";
import { drawCauses, drawWaits } from "./server-figure.js";

const { el, button, setOff } = globalThis.LabDom;
const { tidy } = globalThis.LabNumbers;
const { folder, nodes } = globalThis.LabSimulator;
const MEASURED = JSON.parse(__MEASURED__);
const SERVERS = new Map(__SERVERS__.map((server) => [server.id, server]));
const SERVING = __SERVING__;
const MOST_LETTERS = 100_000;
const newest = Math.max(...Object.keys(nodes).map(Number));
const runner = new Runner(folder);

/** The fields beside the editor: what they say, their key of a load, and the values where they may be empty. */
const FIELDS = [
  { key: "clients", says: "Clients", of: "closed", step: 1 },
  { key: "thinkMs", says: "Think time (ms)", of: "closed" },
  {
    key: "rounds",
    says: "Requests of each client (empty: no limit)",
    of: "closed",
    isOptional: true,
    step: 1,
  },
  { key: "rate", says: "Requests per second", of: "open" },
  { key: "patienceMs", says: "Patience (ms; empty: no limit)", isOptional: true },
  { key: "requestMs", says: "Overhead of each request (ms)" },
  { key: "processes", says: "Processes", step: 1 },
  { key: "processors", says: "Processors", step: 1 },
  { key: "threads", says: "Threads in the pool", step: 1 },
  { key: "connections", says: "Database connections", step: 1 },
  { key: "seconds", says: "Length of the run (s)" },
];
const OF_ONE_GROUP = ["patienceMs", "processes"]; // what a server with several groups of clients does not ask
const WORK = [
  ["busy(ms)", "computes on the loop"],
  ["hashFor(ms)", "the same, as in the book's first server"],
  [
    "await hash(ms)",
    "computes on a thread of the pool; threads share the processors, so in the model more " +
      "threads than processors do not help (in our measured run, they helped a little)",
  ],
  ["await read(ms)", "waits on a thread of the pool, as a file operation does"],
  ["await query(ms)", "waits for the database, which has as many connections as you set"],
];

const countOf = (count, what) => `${tidy(count)} ${what}${count === 1 ? "" : "s"}`;

class ServerPanel {
  constructor({ place, id, leave }) {
    this.server = SERVERS.get(id);
    this.leave = leave;
    this.original = `${this.server.lines.join("\n")}\n`;
    this.text = this.original;
    this.box = el("section", {
      class: "lab-change lab-serve",
      "aria-label": `Change this server: ${this.server.title}`,
    });
    this.box.append(...this.#parts());
    this.#fill();
    place.append(this.box);
  }

  #parts() {
    const p = {};
    this.parts = p;
    p.run = button("Run", () => this.run(), { class: "run" });
    p.edit = el("div", { class: "edit" });
    p.area = programArea({
      label: `Server ${this.server.name}`,
      text: this.text,
      rows: this.server.lines.length + 2,
      onchange: (text) => this.#change(text),
      run: () => this.run(),
    });
    p.edit.append(p.area);
    p.status = el("p", { class: "status", role: "status" });
    p.complaint = el("div", { class: "complaint", role: "alert" });
    p.result = el("div", { class: "served", hidden: true });
    p.work = el(
      "details",
      { class: "work" },
      el("summary", {}, "Work whose time you declare"),
      el("ul", {}, ...WORK.map(([call, says]) => el("li", {}, el("code", {}, call), ` ${says}`))),
    );
    return [
      el(
        "p",
        { class: "kind" },
        el("strong", {}, "Model"),
        ": your handler runs on the loop of the model, with virtual clients and in virtual " +
          "time. Code takes no time, except for the work whose time you declare. The model " +
          "predicts which requests wait, and measures nothing. Your program stays in this " +
          "browser.",
      ),
      el(
        "div",
        { class: "bar" },
        p.run,
        el(
          "span",
          { class: "rest" },
          button("Reset", () => this.reset()),
          button("Save as a file to run for real", () => this.save()),
          button("Close", () => this.close()),
        ),
      ),
      el(
        "div",
        { class: "sides" },
        el("div", { class: "program" }, p.edit, p.work),
        this.#fields(),
      ),
      p.status,
      p.complaint,
      p.result,
    ];
  }

  /** The clients: fields for one group, and a sentence where the server has several. */
  #fields() {
    const p = this.parts;
    p.fields = {};
    const { groups } = this.server.load;
    const fieldOf = ({ key, says, step = "any" }) => {
      p.fields[key] = el("input", { type: "number", min: 0, step, inputmode: "decimal" });
      p.fields[key].addEventListener("keydown", (event) => {
        if (event.key === "Enter") this.run();
      });
      return el("label", { class: "field" }, el("span", {}, says), p.fields[key]);
    };
    const fits = ({ key, of }) => !groups || !(of || OF_ONE_GROUP.includes(key));
    p.labels = new Map(FIELDS.filter(fits).map((field) => [field, fieldOf(field)]));
    p.loop = el(
      "select",
      { onchange: () => this.#showFields() },
      el("option", { value: "closed" }, "closed: each client waits for its response"),
      el("option", { value: "open" }, "open: at random moments"),
    );
    p.keepAlive = el("input", { type: "checkbox" });
    const kinds = groups
      ? [
          el(
            "p",
            {},
            "Ann requests a hash once. From 100 ms on, Ben sends pings as often as he can, " +
              "until Ann has her response.",
          ),
        ]
      : [
          el("label", { class: "field" }, el("span", {}, "Loop"), p.loop),
          el("label", { class: "tick" }, p.keepAlive, " connections are kept"),
        ];
    return el(
      "fieldset",
      { class: "clients" },
      el("legend", {}, "Clients and machine"),
      ...kinds,
      ...p.labels.values(),
    );
  }

  #fill() {
    const { fields, loop, keepAlive } = this.parts;
    const load = loadOf(this.server.load);
    const [group] = load.groups;
    const values = { ...group, ...load };
    if (group.rate !== null) values.clients = 10;
    for (const [key, input] of Object.entries(fields))
      input.value = values[key] ?? (key === "rate" ? 100 : "");
    loop.value = group.rate === null ? "closed" : "open";
    keepAlive.checked = group.keepAlive;
    this.#showFields();
  }

  #showFields() {
    for (const [{ of }, label] of this.parts.labels)
      label.hidden = Boolean(of) && of !== this.parts.loop.value;
  }

  /** What the fields say, as a load; throws NotModelledError with a sentence. */
  #load() {
    const { labels, fields, loop, keepAlive } = this.parts;
    const { groups, warmSeconds = 0 } = this.server.load;
    const load = groups ? { groups } : { keepAlive: keepAlive.checked };
    for (const [{ key, of, isOptional }] of labels) {
      if (of && of !== loop.value) continue;
      const { value, validity } = fields[key];
      if (value === "" && isOptional && !validity.badInput) continue;
      load[key] = value === "" ? Number.NaN : Number(value);
    }
    if (warmSeconds && load.seconds > warmSeconds) load.warmSeconds = warmSeconds;
    return loadOf(load);
  }

  async open() {
    runner.prepare(newest);
    this.editing = await editorInstead({
      area: this.parts.area,
      place: this.parts.edit,
      label: `Server ${this.server.name}`,
      onchange: (text) => this.#change(text),
      run: () => this.run(),
      leave: () => this.parts.run.focus(),
    });
  }

  #change(text) {
    this.text = text;
  }

  #setText(text) {
    this.text = text;
    if (this.editing) this.editing.text = text;
    else this.parts.area.value = text;
  }

  #say(text) {
    this.parts.status.textContent = text;
  }

  #complain(text) {
    this.#say("");
    setOff(this.parts.run, false);
    const lines = String(text).split("\n");
    this.parts.complaint.replaceChildren(
      lines.length > 1 ? el("pre", { tabindex: 0 }, text) : el("p", {}, text),
    );
  }

  // -- running -----------------------------------------------------------------------------------

  run() {
    const { complaint, result, run } = this.parts;
    complaint.replaceChildren();
    result.hidden = true;
    this.editing?.mark(null);
    if (this.text.length > MOST_LETTERS)
      return this.#complain(
        "The program is too long for the model. Shorten it, or run it for real.",
      );
    let load;
    try {
      load = this.#load();
    } catch (error) {
      return this.#complain(error.message);
    }
    const { text } = this;
    const isSame = {
      text: text === this.original,
      load: JSON.stringify(load) === JSON.stringify(loadOf(this.server.load)),
    };
    this.#say(this.hasRun ? "Running …" : "Loading the model (only once) …");
    setOff(run, true);
    const program = {
      source: text.replaceAll("\r\n", "\n"),
      file: this.server.name,
      plans: plansOf(load),
      parts: { serving: SERVING },
    };
    this.#tell = (event, more) => this.#receive(event, more, load, isSame);
    return runner.run(program, newest, this.#tell);
  }

  #tell = null; // of the run that is under way

  /** `isSame` says whether the program that ran, and its load, are the book's own. */
  #receive(event, { runs, sentence }, load, isSame) {
    if (event === "refused") return this.#refused(String(sentence));
    if (event !== "served") return undefined;
    this.hasRun = true;
    setOff(this.parts.run, false);
    try {
      return this.#draw(resultOf(load, runs), isSame);
    } catch (error) {
      return this.#complain(
        error.name === "NotModelledError"
          ? error.message
          : "The model gave a result that can't be shown.",
      );
    }
  }

  #refused(sentence) {
    const text = sentence.replaceAll(/(file:\/\/)?\/home\/you\//g, "");
    if (/\n\nSyntaxError: /.test(text)) this.editing?.mark(Number(/:(\d+)$/m.exec(text)?.[1]));
    this.#complain(text);
  }

  #draw(result, isSame) {
    const { parts, server } = this;
    const { rows, error, load, endMs } = result;
    if (error) {
      const arrivals = `${countOf(error.requests, "request")} had arrived by then.`;
      if (!error.report)
        return this.#complain(
          `The program ended itself with exit code ${error.code}, so its clients no longer ` +
            `had a server. ${arrivals}`,
        );
      const [, line] = new RegExp(`${server.name}:(\\d+)`).exec(error.report) ?? [];
      if (line) this.editing?.mark(Number(line));
      const [first] = error.report.split("\n");
      const place = line ? ` in line ${line}` : "";
      return this.#complain(
        `The program threw${place}, which would have ended a server in Node: ${first}. ${arrivals}`,
      );
    }
    // A measured run looks at what ended after its warm-up.
    const fromMs = load.warmSeconds * 1000;
    const ownRows = server.group ? rows.filter(({ group }) => group === server.group) : rows;
    // Who waits when the other group has had its last response gets an answer, too, and one group is shown whole.
    const waits = waitsOf(ownRows, fromMs, server.group ? Number.POSITIVE_INFINITY : endMs);
    const summary = summaryOf(ownRows, fromMs, endMs);
    const record = MEASURED[server.id] ?? null;
    const serverName = isSame.text && isSame.load ? "this server" : "your server";
    const measuredName = `the book's own code${isSame.load ? "" : ", under the book's load"}`;
    const label = `Waits of ${serverName} in the model${record ? `, beside the measured ones of ${measuredName}` : ""}, by share of the requests. The table has the numbers.`;
    parts.result.replaceChildren(
      el(
        "figure",
        {},
        el(
          "figcaption",
          {},
          el("strong", {}, server.waits ?? "How long clients waited (ms)"),
          el(
            "span",
            { class: "legend" },
            el("span", { class: "key of-model", "aria-hidden": "true" }),
            ` model: ${serverName} `,
            record ? el("span", { class: "key of-measured", "aria-hidden": "true" }) : null,
            record ? ` measured: ${measuredName}` : null,
          ),
        ),
        waits.length > 0
          ? drawWaits({ waits, measured: record, label })
          : el("p", {}, "No response had a status of 2xx."),
      ),
      el(
        "div",
        { class: "figures" },
        this.#table(ownRows, summary, record),
        drawCauses(summary.causes) ?? "",
      ),
      ...this.#sentences(result, record),
    );
    parts.result.hidden = false;
    const counts = rows.filter(({ status }) => status === 0).length;
    return this.#say(
      `Model: ${countOf(rows.length, "request")} in ${tidy(endMs / 1000)} s, ${tidy(result.summary.throughput)} responses per second${counts ? `, ${tidy(counts)} gave up` : ""}.`,
    );
  }

  /** `rows` are the requests, of one group where the server shows one; `summary` is theirs. */
  #table(rows, summary, record) {
    const { group } = this.server;
    const countAll = (fits) => rows.filter(fits).length;
    const [firstRow] = rows;
    const lines = group
      ? [
          [`${group}'s requests`, rows.length, null],
          // Who has no answer yet has not waited so long, but longer.
          ["first wait (ms)", firstRow && hasWait(firstRow) ? firstRow.wait : null, record?.p50],
        ]
      : [
          ["responses per second", summary.throughput, record?.throughput],
          ["median wait (ms)", summary.p50, record?.p50],
          ["99th percentile (ms)", summary.p99, record?.p99],
          ["gave up", countAll(({ status }) => status === 0), record?.gave_up],
          ["of requests", rows.length, record?.sent],
        ];
    const failed = countAll((row) => row.status !== null && !hasWait(row));
    if (failed > 0) lines.push(["failed or refused", failed, null]);
    const cell = (value) => el("td", {}, value === undefined || value === null ? "–" : tidy(value));
    return el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td", {}),
          el("th", { scope: "col", class: "of-model" }, "model"),
          record ? el("th", { scope: "col" }, "measured") : null,
        ),
      ),
      el(
        "tbody",
        {},
        ...lines.map(([says, ours, theirs]) =>
          el("tr", {}, el("th", { scope: "row" }, says), cell(ours), record ? cell(theirs) : null),
        ),
      ),
    );
  }

  #sentences({ cut, unanswered: open, rows, printed: output, load }, record) {
    const { server } = this;
    const sentences = [];
    if (cut === "requests")
      sentences.push(
        "The model stops after 5,000 requests, so the numbers cover only the time until then.",
      );
    if (cut === "time")
      sentences.push(
        "The run was stopped because the model had computed for nearly a second, so the " +
          "numbers cover only the virtual time until then.",
      );
    if (open > 0)
      sentences.push(
        open === rows.length
          ? "No request got a response. Check that the handler calls response.end()."
          : `${countOf(open, "request")} were still waiting when the run ended.`,
      );
    if (output.count > 0)
      sentences.push(
        `The program printed ${countOf(output.count, "line")}. The first is: ` +
          `${output.lines[0].slice(0, 80)}`,
      );
    if (load.processes > 1)
      sentences.push(
        "The model assigns the clients to the processes in turn, and each process has an " +
          "equal share of the processors.",
      );
    if (record)
      sentences.push(
        `Measured: ${server.measured.what}, ${record.trials} ${server.measured.key ? "tries" : "trials"} on ${record.when} (${record.machine}, Node ${record.node}).`,
      );
    sentences.push(server.leavesOut);
    return sentences.map((sentence) => el("p", { class: "note" }, sentence));
  }

  // -- what else a reader does -------------------------------------------------------------------

  reset() {
    this.#setText(this.original);
    this.#fill();
    this.parts.complaint.replaceChildren();
    this.parts.result.hidden = true;
    this.#say("The server is back to its original program.");
  }

  save() {
    const { value } = this.parts.fields.connections;
    let connections;
    try {
      ({ connections } = loadOf({ connections: value === "" ? Number.NaN : Number(value) }));
    } catch (error) {
      return this.#complain(error.message);
    }
    this.parts.complaint.replaceChildren();
    const { name, text } = exported({ name: this.server.name, text: this.text, connections });
    saveAs(name, [text]);
    return this.#say(`Saved as ${name}. Run it for real: node ${name}`);
  }

  close() {
    runner.stop(this.#tell);
    this.editing?.close();
    this.box.remove();
    this.leave();
  }
}

globalThis.LabSimulator.serve = (options) => new ServerPanel(options);
