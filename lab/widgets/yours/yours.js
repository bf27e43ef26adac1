// Yours beside the book's: <lab-yours> takes a reader's result file (lab/book/pages/yours/results.py). What stands on the page is said
// and drawn here, for the build, too (yours.mjs): lab/book/pages/yours/page.py has the tables that it goes into. The file
// stays in this browser; it is kept only if the reader says so.

(() => {
  const FORMAT = "nodejs-io-measured/results";
  const SCHEMA = 1;
  const LIMIT_BYTES = 200_000;
  const KEPT = "lab-yours";
  const NOTHING = "–";

  // ---- Is it a result file? No page needed -------------------------------------------------------------------------

  class Refused extends Error {}
  const refuse = (why) => {
    throw new Refused(why);
  };

  const seen = (value) => (JSON.stringify(value) ?? String(value)).slice(0, 40);
  const object = (value, where) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? value
      : refuse(`${where} should be an object, not ${seen(value)}.`);
  const list = (value, where, most) =>
    Array.isArray(value) && value.length <= most
      ? value
      : refuse(`${where} should be a list of at most ${most} entries.`);
  /** Printable and short: nothing that turns the direction of writing or ends a line. */
  const text = (value, where, most = 80) =>
    typeof value === "string" && value.length <= most && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
      ? value
      : refuse(`${where} should be a short text, not ${seen(value)}.`);
  const number = (value, where, least = -1e15, most = 1e15) =>
    typeof value === "number" && value >= least && value <= most
      ? value
      : refuse(`${where} should be a number, not ${seen(value)}.`);
  const choice = (value, where, known) =>
    known.includes(value)
      ? value
      : refuse(`${where} should be one of ${known.join(", ")}, not ${seen(value)}.`);
  const maybe = (value, check) => (value === null || value === undefined ? null : check(value));

  function readClaim(given, where, verdicts) {
    object(given, where);
    const claim = {
      id: text(given.id, `${where}.id`),
      verdict: choice(given.verdict, `${where}.verdict`, verdicts),
      ratio: choice(given.ratio, `${where}.ratio`, [true, false]),
    };
    for (const key of ["estimate", "low", "high"])
      claim[key] = maybe(given[key], (v) => number(v, `${where}.${key}`, claim.ratio ? 0 : -1e15));
    const { low, estimate, high } = claim;
    if (low !== null && high !== null && !(low <= estimate && estimate <= high))
      refuse(`${where} has an interval from ${low} to ${high} around ${estimate}.`);
    return claim;
  }

  function readArm(given, where) {
    object(given, where);
    const name = ["experiment", "arm", "at"].map((k) => text(given[k], `${where}.${k}`, 200));
    const at = `${where}.throughput_per_s`;
    const trials = list(given.throughput_per_s, at, 100).map((v) => number(v, at, 0));
    return [JSON.stringify(name), middle(trials)];
  }

  /** What a result file says, known fields only; throws Refused with a sentence for the reader. `words`: those that a verdict
   * and a profile may be, as the build knows them. */
  function readResults(source, words) {
    if (source.length > LIMIT_BYTES) refuse(tooLarge(source.length));
    let given;
    try {
      given = JSON.parse(source.replace(/^\uFEFF/, ""));
    } catch {
      refuse("It is not JSON.");
    }
    if (given?.format !== FORMAT) refuse(`It is some other JSON: its “format” is not “${FORMAT}”.`);
    if (given.schema !== SCHEMA)
      refuse(
        Number.isInteger(given.schema) && given.schema > SCHEMA
          ? `It is of schema ${given.schema}, and this page reads ${SCHEMA}: the page is older than your copy of the book.`
          : `It is of schema ${seen(given.schema)}, and this page reads ${SCHEMA}: update your copy of the book and run make book again.`,
      );
    if (given.mode === "recorded")
      refuse("It is the book's own file, not one that your machine has made.");
    choice(given.mode, "mode", ["live"]);
    const { machine, versions } = given;
    object(machine, "machine");
    object(versions, "versions");
    const claims = list(given.claims, "claims", 1000).map((c, i) =>
      readClaim(c, `claims[${i}]`, words.verdicts),
    );
    const arms = list(given.arms, "arms", 3000).map((a, i) => readArm(a, `arms[${i}]`));
    const twice = [claims.map((c) => c.id), arms.map(([name]) => name)]
      .flatMap((names) => names.filter((n, i) => names.indexOf(n) !== i))
      .at(0);
    if (twice !== undefined) refuse(`It names ${twice} twice.`);
    return {
      about: {
        cpu: text(machine.cpu, "machine.cpu"),
        cores: number(machine.cores, "machine.cores", 1, 1e5),
        ram_gib: number(machine.ram_gib, "machine.ram_gib", 0, 1e7),
        virt: maybe(machine.virt, (v) => text(v, "machine.virt")) ?? "no",
        os: text(machine.os, "machine.os"),
        arch: text(machine.arch, "machine.arch"),
        node: text(versions.node ?? "?", "versions.node", 30),
        python: text(versions.python ?? "?", "versions.python", 30),
        profile: choice(given.profile, "profile", words.profiles),
        made: text(given.made, "made", 30).slice(0, 10),
      },
      claims: new Map(claims.map((c) => [c.id, c])),
      arms: new Map(arms),
    };
  }

  const tooLarge = (n) =>
    `It has ${LabNumbers.halfUp(n)} bytes; a result file has at most ${LabNumbers.halfUp(LIMIT_BYTES)}.`;

  // ---- Side by side, as figures, words and HTML. No page needed ------------------------------------------------------

  const middle = (values) => {
    const v = [...values].sort((a, b) => a - b);
    return v.length ? (v[(v.length - 1) >> 1] + v[v.length >> 1]) / 2 : 0;
  };
  const shown = (value) => (value === null ? NOTHING : LabNumbers.bare(value));
  /** Estimate, interval and verdict, in pieces. */
  const measured = (claim) => {
    if (!claim) return [NOTHING];
    const { estimate, low, high } = claim;
    const pieces = [shown(estimate) + (claim.ratio && estimate !== null ? "×" : "")];
    if (low !== null && high !== null) pieces.push(`[${shown(low)}, ${shown(high)}]`);
    return [...pieces, claim.verdict];
  };
  const same = (a, b) => {
    if (!a || !b) return "not in this file";
    if (a.verdict === "no verdict" || b.verdict === "no verdict") return "cannot tell";
    return a.verdict === b.verdict ? "yes" : "no";
  };

  function finding(claims, yours, kind) {
    const told = claims.map((c) => [c.name, same(c.book, yours.get(c.id))]);
    const decided = told.filter(([, answer]) => answer === "yes" || answer === "no");
    const other = decided.filter(([, answer]) => answer === "no");
    const names = other.map(([name]) => name).filter(Boolean);
    const rows = `the first ${other.length === 1 ? "row" : `${other.length} rows`} below`;
    if (!decided.length) return `None of the ${told.length} ${kind} was decided by both runs.`;
    const left = told.length - decided.length;
    return [
      `${decided.length - other.length} of ${decided.length} ${kind} that both runs decided have the same verdict.`,
      other.length ? `Another verdict: ${names.join("; ") || rows}.` : "",
      left ? `${left} ${left === 1 ? "is" : "are"} not decided by both.` : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  function quantile(ascending, q) {
    const at = (ascending.length - 1) * q;
    const low = Math.floor(at);
    const high = Math.min(low + 1, ascending.length - 1);
    return ascending[low] + (at - low) * (ascending[high] - ascending[low]);
  }

  /** Arms averaged within their experiment, then the experiments; null if no arm is in both. */
  function factorOf(bookArms, yours) {
    const logs = new Map();
    for (const [experiment, arm, at, its, counted] of bookArms) {
      const mine = yours.get(JSON.stringify([experiment, arm, at])) ?? 0;
      if (!counted || !(mine > 0 && its > 0)) continue;
      logs.set(experiment, [...(logs.get(experiment) ?? []), Math.log(mine / its)]);
    }
    const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
    const means = [...logs.values()].map(mean).sort((a, b) => a - b);
    if (!means.length) return null;
    return {
      estimate: Math.exp(mean(means)),
      low: Math.exp(quantile(means, 0.25)),
      high: Math.exp(quantile(means, 0.75)),
      experiments: means.map(Math.exp),
    };
  }

  function factorText(found) {
    if (!found) return "No arm was measured in both runs, so there is no machine factor.";
    const n = found.experiments.length;
    const head = `Machine factor ${shown(found.estimate)}×, from ${n} experiment${n === 1 ? "" : "s"}`;
    if (n === 1) return `${head}.`;
    const [least, most] = [found.experiments[0], found.experiments[n - 1]];
    return `${head}: half of them lie between ${shown(found.low)}× and ${shown(found.high)}×, all between ${shown(least)}× and ${shown(most)}×.`;
  }

  const csv = (rows) =>
    rows
      .map((row) => row.map((v) => cell(v ?? "")).join(","))
      .concat("")
      .join("\r\n");
  const cell = (value) => {
    const word = String(value);
    return /[",\r\n]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word;
  };
  const SIDE = ["estimate", "low", "high", "verdict"];

  function claimsCsv(claims, yours) {
    const head = ["book", "your"].flatMap((side) => SIDE.map((k) => `${side}_${k}`));
    return csv([
      ["id", "published_low", "published_high", ...head, "same_verdict"],
      ...claims.map(({ id, published, book }) => {
        const mine = yours.get(id);
        const sides = [book, mine].flatMap((side) => SIDE.map((k) => side?.[k]));
        return [id, ...(published ?? ["", ""]), ...sides, same(book, mine)];
      }),
    ]);
  }

  function armsCsv(bookArms, yours) {
    const rows = [["experiment", "arm", "at", "book_per_s", "your_per_s", "ratio", "in_factor"]];
    for (const [experiment, arm, at, its, counted] of bookArms) {
      const mine = yours.get(JSON.stringify([experiment, arm, at])) ?? 0;
      if (its > 0 && mine > 0)
        rows.push([experiment, arm, at, its, mine, shown(mine / its), counted ? "yes" : "no"]);
    }
    return csv(rows);
  }

  /** What is put into a piece of HTML is text, unless it is such a piece itself. */
  class Html {
    constructor(code) {
      this.code = code;
    }
    toString() {
      return this.code;
    }
    toJSON() {
      return this.code;
    }
  }
  const inside = (value) => {
    if (value instanceof Html) return value.code;
    if (Array.isArray(value)) return value.map(inside).join("");
    return String(value).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  };
  const html = (texts, ...values) => new Html(String.raw({ raw: texts }, ...values.map(inside)));

  const percent = (share) => Math.round(1e4 * Math.min(Math.max(share, 0), 1)) / 100;
  const place = (value, [low, high]) => percent(Math.log(value / low) / Math.log(high / low));

  /** An estimate with its interval on a logarithmic axis; yours.css draws it. */
  function mark(kind, scale, x, low, high) {
    if (!x) return html`<span class="at ${kind}" hidden></span>`;
    const [at, from, to] = [x, low ?? x, high ?? x].map((value) => place(value, scale));
    const width = percent((to - from) / 100);
    return html`<span class="at ${kind}" style="--x:${at}%;--l:${from}%;--w:${width}%"></span>`;
  }

  function ratio(kind, scale, claim) {
    const { estimate, low, high } = claim?.ratio ? claim : {};
    return mark(kind, scale, estimate, low, high);
  }

  const tick = (t, scale) =>
    html`<span class="tick" style="--x:${place(t, scale)}%">${shown(t)}×</span>`;

  /** The factors of the experiments on one line, with their middle half and mean. */
  function strip({ experiments, estimate, low, high }) {
    const far = Math.max(2.2, ...experiments.map((v) => Math.max(v, 1 / v) * 1.1));
    const scale = [1 / far, far];
    const dots = experiments.map((v) => mark("dot", scale, v));
    const ticks = [0.25, 0.5, 1, 2, 4].filter((t) => scale[0] <= t && t <= scale[1]);
    return (
      html`<div class="line"><span class="track">${dots}${mark("yours", scale, estimate, low, high)}</span></div>` +
      html`<div class="line axis"><span class="track">${ticks.map((t) => tick(t, scale))}</span></div>`
    );
  }

  function row({ book, published }, mine, yours, scale) {
    const stars = [...new Set(published ?? [])].map(
      (v) => html`<span class="theirs" style="--x:${place(v, scale)}%">☆</span>`,
    );
    const [its, own] = [book, mine].map((claim) =>
      measured(claim).map((piece) => html`<span>${piece}</span>`),
    );
    return {
      book: html`${its}`,
      yours: html`${own}`,
      same: yours ? same(book, mine) : NOTHING,
      track: html`${ratio("book", scale, book)}${ratio("yours", scale, mine)}${stars}`,
    };
  }

  /** The whole comparison in a few sentences. */
  function status(data, yours, agree, factor) {
    const { cores, cpu, node, profile } = yours.about;
    const known = new Set(data.claims.map((c) => c.id));
    const strange = [...yours.claims.keys()].filter((id) => !known.has(id)).length;
    return [
      `${cores} × ${cpu}, Node ${node}, profile ${profile}.`,
      profile === "smoke" ? "This profile only tries the programs: it gives no verdicts." : "",
      agree,
      factorText(factor),
      strange
        ? `${strange} ${strange === 1 ? "claim of the file is" : "claims of the file are"} not in this edition of the book.`
        : "",
    ]
      .filter(Boolean)
      .join(" ");
  }

  /** All that changes with a file; `yours` null is "no file yet". */
  function draw(data, yours = data.yours && readResults(JSON.stringify(data.yours), data.words)) {
    const claims = yours?.claims ?? new Map();
    const [published, own] = [false, true].map((of) => data.claims.filter((c) => c.own === of));
    const other = ({ id, book }) => same(book, claims.get(id)) === "no";
    const factor = yours && factorOf(data.arms, yours.arms);
    const agree = yours && finding(published, claims, "published claims");
    const told = published
      .filter((c) => c.book)
      .map((c) => `${c.name}: ${measured(c.book).join(" ")}`);
    const file = (text) => `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
    return {
      rows: Object.fromEntries(
        data.claims.map((c) => [c.id, row(c, claims.get(c.id), yours, data.scale)]),
      ),
      // The book's own sentences are many: those with another verdict come first.
      order: [...own.filter(other), ...own.filter((c) => !other(c))].map((c) => c.id),
      axis: html`${data.ticks.map((t) => tick(t, data.scale))}`,
      one: place(1, data.scale),
      alt: yours
        ? `Ratios with intervals, the book’s and yours. ${agree}`
        : `The book’s ratios with intervals; yours are missing. ${told.join("; ")}.`,
      finding: yours ? finding(own, claims, "sentences") : "",
      machine: yours?.about ?? {},
      factor: yours ? factorText(factor) : "The machine factor needs a file.",
      strip: factor ? strip(factor) : "",
      claims: file(claimsCsv(data.claims, claims)),
      arms: file(armsCsv(data.arms, yours?.arms ?? new Map())),
      status: yours ? status(data, yours, agree, factor) : "",
    };
  }

  globalThis.LabYoursModel = { draw };
  if (typeof customElements === "undefined" || customElements.get("lab-yours")) return;

  // ---- The page ---------------------------------------------------------------------------------------------------------

  const { el, button, dataOf, storage, whenParsed } = LabDom;
  const all = (selector) => [...document.querySelectorAll(selector)];
  const one = (selector) => document.querySelector(selector);

  function fill(data, yours) {
    const drawn = draw(data, yours);
    for (const row of all("[data-lab-claim]")) {
      const { yours: mine, same: answer } = drawn.rows[row.dataset.labClaim];
      row.cells[2].innerHTML = mine;
      row.cells[3].textContent = answer;
      row.cells[3].dataset.same = answer;
    }
    const rank = ({ dataset }) => drawn.order.indexOf(dataset.labClaim);
    const sentences = all("[data-lab-own] tr[data-lab-claim]").sort((a, b) => rank(a) - rank(b));
    sentences[0]?.parentNode.append(...sentences);
    for (const row of all("[data-lab-row]"))
      row.querySelector(".track").innerHTML = drawn.rows[row.dataset.labRow].track;
    for (const row of all("[data-lab-machine]"))
      row.cells[2].textContent = drawn.machine[row.dataset.labMachine] ?? NOTHING;
    one("[data-lab-factor]").textContent = drawn.factor;
    one("[data-lab-finding]").textContent = drawn.finding;
    one(".lab-yours-plot[data-lab-claims]").setAttribute("aria-label", drawn.alt);
    const box = one("[data-lab-strip]");
    box.hidden = !drawn.strip;
    box.innerHTML = drawn.strip;
    box.setAttribute("aria-label", drawn.factor);
    for (const name of ["claims", "arms"]) one(`[data-lab-csv="${name}"]`).href = drawn[name];
    one("[data-lab-arms]").hidden = !yours;
    return drawn.status;
  }

  class Yours extends HTMLElement {
    connectedCallback() {
      if (this.data) this.listen();
      else whenParsed(() => this.begin());
    }

    disconnectedCallback() {
      this.away?.abort();
    }

    begin() {
      if (this.data || !this.isConnected) return;
      this.data = dataOf(this);
      if (!this.data) return; // what stands there stays
      this.status = el("p", { role: "status", class: "said" });
      const input = el("input", {
        type: "file",
        id: "lab-yours-file",
        accept: ".json,application/json",
        "aria-describedby": "lab-yours-private",
        onchange: () => {
          this.take(input.files[0]);
          input.value = ""; // the same file again is a change, too
        },
      });
      this.keep = button("Keep it in this browser", () => this.keepIt());
      this.drop = button("Forget it", () => this.forget());
      this.actions = el("p", { class: "actions" }, this.keep, " ", this.drop);
      this.replaceChildren(
        el(
          "div",
          { class: "drop" },
          el(
            "label",
            { for: "lab-yours-file" },
            "Drop a result file anywhere on this page, or choose one:",
          ),
          input,
          el(
            "p",
            { id: "lab-yours-private", class: "private" },
            "Your browser reads it. It is sent nowhere, and kept only if you say so.",
          ),
        ),
        this.status,
        this.actions,
      );
      this.listen();
      const kept = storage.get(KEPT);
      this.reset();
      if (kept !== null) this.show(kept, "What you kept here");
    }

    /** The whole page takes a drop: beside the box it would replace the page by the file. */
    listen() {
      this.away?.abort();
      this.away = new AbortController();
      const { signal } = this.away;
      const on = (kind, then) => document.addEventListener(kind, then, { signal });
      const withFiles = (then) => (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        then(event);
      };
      on(
        "dragover",
        withFiles(() => this.classList.add("over")),
      );
      on("dragleave", (event) => {
        if (event.relatedTarget === null) this.classList.remove("over");
      });
      on(
        "drop",
        withFiles((event) => {
          this.classList.remove("over");
          this.take(event.dataTransfer.files[0]);
        }),
      );
    }

    async take(file) {
      if (!file) return;
      try {
        if (file.size > LIMIT_BYTES) refuse(tooLarge(file.size));
        this.show(await file.text(), file.name);
      } catch (error) {
        this.complain(file.name, error instanceof Refused ? error.message : "It can't be read.");
      }
    }

    show(source, name) {
      try {
        const results = readResults(source, this.data.words);
        const words = fill(this.data, results);
        this.source = source;
        this.status.classList.remove("bad");
        this.status.textContent = `${name}: ${words}`;
        this.offer(true);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.complain(name, error.message);
      }
    }

    complain(name, why) {
      this.status.classList.add("bad");
      this.status.textContent = `“${name}” is no result file that this page can show. ${why} The page shows what it showed before.`;
      this.offer(Boolean(this.source) || storage.get(KEPT) !== null);
    }

    offer(any) {
      this.actions.hidden = !any;
      this.keep.hidden = !this.source || storage.get(KEPT) === this.source;
    }

    keepIt() {
      const done = storage.set(KEPT, this.source);
      this.status.textContent = done
        ? "Kept. This page shows it again when you come back, in this browser only."
        : "This browser does not let this page keep anything.";
      this.offer(true);
      this.drop.focus();
    }

    forget() {
      storage.set(KEPT, null);
      this.reset();
      this.status.textContent = "Forgotten: nothing of your file is left here.";
      this.querySelector("input").focus();
    }

    /** What the build gave: this machine's own results on a local site, else the book's alone. */
    reset() {
      this.source = null;
      this.status.classList.remove("bad");
      this.offer(false);
      try {
        this.status.textContent = fill(this.data);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.complain("my-results.json", error.message);
      }
    }
  }

  customElements.define("lab-yours", Yours);
})();
