// <lab-yours>: compares a reader's result file (lab/book/pages/yours/results.py) with the results of the book. This script makes the
// text and the drawings of the page, for the build as well (yours.mjs). lab/book/pages/yours/page.py has the tables that they fill.
// The file stays in this browser, which keeps it only if the reader says so.

(() => {
  const FORMAT = "nodejs-io-measured/results";
  const SCHEMA = 1;
  const LIMIT_BYTES = 200_000;
  const STORAGE_KEY = "lab-yours";
  const DASH = "–";

  // ---- Is it a result file? No page needed -------------------------------------------------------------------------

  class Refused extends Error {}
  const refuse = (why) => {
    throw new Refused(why);
  };

  const excerpt = (value) => (JSON.stringify(value) ?? String(value)).slice(0, 40);
  const object = (value, path) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? value
      : refuse(`${path} should be an object, not ${excerpt(value)}.`);
  const list = (value, path, most) =>
    Array.isArray(value) && value.length <= most
      ? value
      : refuse(`${path} should be a list of at most ${most} entries.`);
  /** A short, printable text, without characters that change the writing direction or end a line. */
  const text = (value, path, most = 80) =>
    typeof value === "string" && value.length <= most && !/[\p{C}\p{Zl}\p{Zp}]/u.test(value)
      ? value
      : refuse(`${path} should be a short text, not ${excerpt(value)}.`);
  const number = (value, path, least = -1e15, most = 1e15) =>
    typeof value === "number" && value >= least && value <= most
      ? value
      : refuse(`${path} should be a number, not ${excerpt(value)}.`);
  const choice = (value, path, choices) =>
    choices.includes(value)
      ? value
      : refuse(`${path} should be one of ${choices.join(", ")}, not ${excerpt(value)}.`);
  const maybe = (value, check) => (value === null || value === undefined ? null : check(value));

  function readClaim(entry, path, verdicts) {
    object(entry, path);
    const claim = {
      id: text(entry.id, `${path}.id`),
      verdict: choice(entry.verdict, `${path}.verdict`, verdicts),
      ratio: choice(entry.ratio, `${path}.ratio`, [true, false]),
    };
    for (const key of ["estimate", "low", "high"])
      claim[key] = maybe(entry[key], (v) => number(v, `${path}.${key}`, claim.ratio ? 0 : -1e15));
    const { low, estimate, high } = claim;
    if (low !== null && high !== null && !(low <= estimate && estimate <= high))
      refuse(`${path} has an interval from ${low} to ${high} around ${estimate}.`);
    return claim;
  }

  function readArm(entry, path) {
    object(entry, path);
    const name = ["experiment", "arm", "at"].map((k) => text(entry[k], `${path}.${k}`, 200));
    const at = `${path}.throughput_per_s`;
    const trials = list(entry.throughput_per_s, at, 100).map((v) => number(v, at, 0));
    return [JSON.stringify(name), middle(trials)];
  }

  /** The known fields of a result file. Throws Refused with a sentence for the reader. `words`: the verdicts and profiles that the
   * build knows. */
  function readResults(source, words) {
    if (source.length > LIMIT_BYTES) refuse(tooLarge(source.length));
    let file;
    try {
      file = JSON.parse(source.replace(/^\uFEFF/, ""));
    } catch {
      refuse("It is not JSON.");
    }
    if (file?.format !== FORMAT)
      refuse(`It is a different kind of JSON, because its “format” is not “${FORMAT}”.`);
    if (file.schema !== SCHEMA)
      refuse(
        Number.isInteger(file.schema) && file.schema > SCHEMA
          ? `It has schema ${file.schema}, but this page reads ${SCHEMA}. The page is older ` +
              "than your copy of the book."
          : `It has schema ${excerpt(file.schema)}, but this page reads ${SCHEMA}. Update ` +
              "your copy of the book and run make book again.",
      );
    if (file.mode === "recorded")
      refuse("It is the book's own file and not a file from your machine.");
    choice(file.mode, "mode", ["live"]);
    const { machine, versions } = file;
    object(machine, "machine");
    object(versions, "versions");
    const claims = list(file.claims, "claims", 1000).map((c, i) =>
      readClaim(c, `claims[${i}]`, words.verdicts),
    );
    const arms = list(file.arms, "arms", 3000).map((a, i) => readArm(a, `arms[${i}]`));
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
        profile: choice(file.profile, "profile", words.profiles),
        made: text(file.made, "made", 30).slice(0, 10),
      },
      claims: new Map(claims.map((c) => [c.id, c])),
      arms: new Map(arms),
    };
  }

  const tooLarge = (n) =>
    `It has ${LabNumbers.halfUp(n)} bytes, but a result file has at most ` +
    `${LabNumbers.halfUp(LIMIT_BYTES)}.`;

  // ---- Side by side, as figures, words and HTML. No page needed ------------------------------------------------------

  const middle = (values) => {
    const v = [...values].sort((a, b) => a - b);
    return v.length ? (v[(v.length - 1) >> 1] + v[v.length >> 1]) / 2 : 0;
  };
  const format = (value) => (value === null ? DASH : LabNumbers.bare(value));
  /** Estimate, interval and verdict, as pieces of text. */
  const claimPieces = (claim) => {
    if (!claim) return [DASH];
    const { estimate, low, high } = claim;
    const pieces = [format(estimate) + (claim.ratio && estimate !== null ? "×" : "")];
    if (low !== null && high !== null) pieces.push(`[${format(low)}, ${format(high)}]`);
    // The longest word may be broken: four columns fit on a phone.
    return [...pieces, claim.verdict.replace("demonstrated", "demon\u00adstrated")];
  };
  // A file of an older book calls held what is demonstrated now.
  const told = (verdict) => (verdict === "demonstrated" ? "held" : verdict);
  const same = (a, b) => {
    if (!a || !b) return "not in this file";
    if (a.verdict === "no verdict" || b.verdict === "no verdict") return "cannot tell";
    return told(a.verdict) === told(b.verdict) ? "yes" : "no";
  };

  function finding(claims, yours, kind) {
    const answers = claims.map((c) => [c.name, same(c.book, yours.get(c.id))]);
    const comparable = answers.filter(([, answer]) => answer === "yes" || answer === "no");
    const different = comparable.filter(([, answer]) => answer === "no");
    const names = different.map(([name]) => name).filter(Boolean);
    const rows = `the first ${different.length === 1 ? "row" : `${different.length} rows`} below`;
    if (!comparable.length)
      return `None of the ${answers.length} ${kind} was decided by both runs.`;
    const left = answers.length - comparable.length;
    return [
      `${comparable.length - different.length} of ${comparable.length} ${kind} that both runs decided have the same verdict.`,
      different.length ? `Another verdict: ${names.join("; ") || rows}.` : "",
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

  /** The mean of each experiment over its arms, then the mean of the experiments. Null if no arm is in both runs. */
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

  function factorText(factor) {
    if (!factor) return "No arm was measured in both runs, so there is no machine factor.";
    const n = factor.experiments.length;
    const head = `Machine factor ${format(factor.estimate)}×, from ${n} experiment${n === 1 ? "" : "s"}`;
    if (n === 1) return `${head}.`;
    const [least, most] = [factor.experiments[0], factor.experiments[n - 1]];
    return `${head}: half of them lie between ${format(factor.low)}× and ${format(factor.high)}×, all between ${format(least)}× and ${format(most)}×.`;
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
        rows.push([experiment, arm, at, its, mine, format(mine / its), counted ? "yes" : "no"]);
    }
    return csv(rows);
  }

  /** A piece of HTML. A value that is put into such a piece is escaped as text, unless it is a piece of HTML itself. */
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
    html`<span class="tick" style="--x:${place(t, scale)}%">${format(t)}×</span>`;

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
    const [bookHtml, mineHtml] = [book, mine].map((claim) =>
      claimPieces(claim).map((piece) => html`<span>${piece}</span>`),
    );
    return {
      book: html`${bookHtml}`,
      yours: html`${mineHtml}`,
      same: yours ? same(book, mine) : DASH,
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

  /** Everything on the page that depends on the file. `yours` is null while there is no file. */
  function draw(data, yours = data.yours && readResults(JSON.stringify(data.yours), data.words)) {
    const claims = yours?.claims ?? new Map();
    const [publishedClaims, ownClaims] = [false, true].map((of) =>
      data.claims.filter((c) => c.own === of),
    );
    const differs = ({ id, book }) => same(book, claims.get(id)) === "no";
    const factor = yours && factorOf(data.arms, yours.arms);
    const agree = yours && finding(publishedClaims, claims, "published claims");
    const ratioTexts = publishedClaims
      .filter((c) => c.book)
      .map((c) => `${c.name}: ${claimPieces(c.book).join(" ")}`);
    const file = (text) => `data:text/csv;charset=utf-8,${encodeURIComponent(text)}`;
    return {
      rows: Object.fromEntries(
        data.claims.map((c) => [c.id, row(c, claims.get(c.id), yours, data.scale)]),
      ),
      // The book has many sentences of its own. Those with a different verdict come first.
      order: [...ownClaims.filter(differs), ...ownClaims.filter((c) => !differs(c))].map(
        (c) => c.id,
      ),
      axis: html`${data.ticks.map((t) => tick(t, data.scale))}`,
      one: place(1, data.scale),
      alt: yours
        ? `Ratios with intervals, the book’s and yours. ${agree}`
        : `The book’s ratios with intervals; yours are missing. ${ratioTexts.join("; ")}.`,
      finding: yours ? finding(ownClaims, claims, "sentences") : "",
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

  const { el, button, dataOf, storage, afterParsing } = LabDom;
  const elements = (selector) => [...document.querySelectorAll(selector)];
  const element = (selector) => document.querySelector(selector);

  function fill(data, yours) {
    const drawing = draw(data, yours);
    for (const row of elements("[data-lab-claim]")) {
      const { yours: mine, same: answer } = drawing.rows[row.dataset.labClaim];
      row.cells[2].innerHTML = mine;
      row.cells[3].textContent = answer;
      row.cells[3].dataset.same = answer;
    }
    const rank = ({ dataset }) => drawing.order.indexOf(dataset.labClaim);
    const sentences = elements("[data-lab-own] tr[data-lab-claim]").sort(
      (a, b) => rank(a) - rank(b),
    );
    sentences[0]?.parentNode.append(...sentences);
    for (const row of elements("[data-lab-row]"))
      row.querySelector(".track").innerHTML = drawing.rows[row.dataset.labRow].track;
    for (const row of elements("[data-lab-machine]"))
      row.cells[2].textContent = drawing.machine[row.dataset.labMachine] ?? DASH;
    element("[data-lab-factor]").textContent = drawing.factor;
    element("[data-lab-finding]").textContent = drawing.finding;
    element(".lab-yours-plot[data-lab-claims]").setAttribute("aria-label", drawing.alt);
    const box = element("[data-lab-strip]");
    box.hidden = !drawing.strip;
    box.innerHTML = drawing.strip;
    box.setAttribute("aria-label", drawing.factor);
    for (const name of ["claims", "arms"]) element(`[data-lab-csv="${name}"]`).href = drawing[name];
    element("[data-lab-arms]").hidden = !yours;
    return drawing.status;
  }

  class Yours extends HTMLElement {
    connectedCallback() {
      if (this.data) this.listen();
      else afterParsing(() => this.begin());
    }

    disconnectedCallback() {
      this.away?.abort();
    }

    begin() {
      if (this.data || !this.isConnected) return;
      this.data = dataOf(this);
      if (!this.data) return; // the content inside stays
      this.status = el("p", { role: "status", class: "said" });
      const input = el("input", {
        type: "file",
        id: "lab-yours-file",
        accept: ".json,application/json",
        "aria-describedby": "lab-yours-private",
        onchange: () => {
          this.take(input.files[0]);
          input.value = ""; // so that choosing the same file again is a change
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
      const source = storage.get(STORAGE_KEY);
      this.reset();
      if (source !== null) this.show(source, "What you kept here");
    }

    /** The whole page accepts a drop, because a file that is dropped elsewhere would replace the page. */
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
        element("[data-lab-sentences]").open = true; // a reader who gives a file wants to see it
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
      this.offer(Boolean(this.source) || storage.get(STORAGE_KEY) !== null);
    }

    offer(any) {
      this.actions.hidden = !any;
      this.keep.hidden = !this.source || storage.get(STORAGE_KEY) === this.source;
    }

    keepIt() {
      const done = storage.set(STORAGE_KEY, this.source);
      this.status.textContent = done
        ? "Kept. This page shows it again when you come back, in this browser only."
        : "This browser does not let this page store anything.";
      this.offer(true);
      this.drop.focus();
    }

    forget() {
      storage.set(STORAGE_KEY, null);
      this.reset();
      this.status.textContent = "Your file was forgotten, and nothing of it is left here.";
      this.querySelector("input").focus();
    }

    /** The results from the build: on a local site those of this machine, else only those of the book. */
    reset() {
      this.source = null;
      element("[data-lab-sentences]").open = false;
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
