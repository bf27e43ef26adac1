// <lab-question> asks for a prediction or an answer, and <lab-answer> shows the right answer where the page decides it. The reviews
// and the list of all questions (lab/widgets/review) use both. The content is JSON (lab/widgets/question/question.py). Without
// JavaScript the markup inside stays. This browser keeps the answers.

(() => {
  const PREFIX = "lab-question:";

  // ---- Is an answer right? No page needed --------------------------------------------------------------------

  /** The number in a text, or null. "1,000" and "1 000" are a thousand, and "0,125" is an eighth. */
  function parseNumber(text) {
    const plain = text.trim().replace(/[\s_×%]/g, "");
    const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(plain);
    const value = Number(grouped ? plain.replaceAll(",", "") : plain.replace(",", "."));
    return plain === "" || !Number.isFinite(value) ? null : value;
  }

  /** Whether two numbers differ by at most this factor. */
  function near(value, right, within) {
    if (value === 0 || right === 0 || value < 0 !== right < 0) return value === right;
    const ratio = Math.abs(value / right);
    return ratio <= within * 1.000001 && 1 / ratio <= within * 1.000001;
  }

  /** Whether an answer is right: true, false, or null while the page has not decided. Until then a prediction is locked. */
  function isRight(question, answer) {
    const { kind, right, within = 1 } = question;
    if (right === undefined || right === null || answer === null || answer === undefined)
      return null;
    if (kind === "number") return near(answer, right, within);
    if (kind === "curve") return LabCurve.isRight(question, answer);
    if (kind === "order") {
      const orders = Array.isArray(right[0]) ? right : [right];
      return orders.some((order) => same(order, answer));
    }
    const rights = Array.isArray(right) ? right : [right];
    return same([...rights].sort(), [...answer].sort());
  }

  /** Whether a stored answer still fits the question, whose options may have changed. */
  function fits(question, answer) {
    if (question.kind === "number") return typeof answer === "number";
    if (question.kind === "curve") return LabCurve.fits(question, answer);
    if (!Array.isArray(answer)) return false;
    const names = question.options?.map((o) => o.name) ?? question.items;
    if (question.kind === "order") return same([...names].sort(), [...answer].sort());
    return answer.length > 0 && answer.every((name) => names.includes(name));
  }

  /** The first answer, which is the one that counts: the reader may have seen the solution before later ones. Null without any. */
  function counted(question, record) {
    const first = [record?.first, record?.answer].find((answer) => fits(question, answer));
    return first === undefined ? null : first;
  }

  /** The time of the first answer, or 0 if it is unknown. Before 24 November 2026 the browser kept only the time of the last one. */
  const sinceOf = (record) => [record?.since, record?.at].find(Number.isFinite) ?? 0;

  /** The explanation of the typical error that leads to this number; undefined if no error does. */
  function mistake({ mistakes = [] }, answer) {
    return mistakes.find(({ low, high }) => low <= answer && answer <= high)?.why;
  }

  // An option that speaks of the others is read after them.
  const LAST =
    /^(all( of (them|these))?|any of|none|both|neither|either|the same|equally|it depends|now one first|sometimes one first|that can)\b/i;

  const plain = (html) => html.replace(/<[^>]*>/g, "");

  /** A number for a text, spread evenly: FNV-1a with a last mix (32 bits). */
  function hash(text) {
    let value = 0x811c9dc5;
    for (const char of text) value = Math.imul(value ^ char.codePointAt(0), 0x01000193);
    value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
    value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
    return (value ^ (value >>> 15)) >>> 0;
  }

  /** The options in an order that the reader's seed decides: the same for a reader at each visit, and of no use to guess by. */
  function shuffled(id, options, seed) {
    const placesOfOptions = options.map((option) => ({
      option,
      isLast: LAST.test(plain(option.text)),
      key: hash(`${seed} ${id} ${option.name}`),
    }));
    placesOfOptions.sort((a, b) => a.isLast - b.isLast || a.key - b.key);
    return placesOfOptions.map(({ option }) => option);
  }

  const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
  const alike = (a, b) => a === b || (Array.isArray(a) && Array.isArray(b) && same(a, b));

  globalThis.LabQuestionModel = {
    near,
    parseNumber,
    isRight,
    fits,
    counted,
    sinceOf,
    mistake,
    shuffled,
  };
  if (typeof customElements === "undefined" || customElements.get("lab-question")) return;

  // ---- The storage of answers ---------------------------------------------------------------------------------

  const { el, button, spokenOnly, afterParsing, dataOf, storage, reorder } = LabDom;
  const tell = (id) => document.dispatchEvent(new CustomEvent("lab-question", { detail: id }));
  const store = {
    read: (id) => storage.read(PREFIX + id),
    keep: (id, record, component) => storage.write(PREFIX + id, record, component),
    write(id, record, component) {
      store.keep(id, record, component);
      tell(id);
    },
    forget(ids) {
      for (const id of ids) store.keep(id, null);
      tell(null);
    },
  };
  // Another tab has stored an answer.
  addEventListener("storage", ({ key }) => {
    if (key === null) tell(null);
    else if (key.startsWith(PREFIX)) tell(key.slice(PREFIX.length));
  });
  // A page that the Back button brings back has missed the events of the meantime.
  addEventListener("pageshow", ({ persisted }) => persisted && tell(null));

  // ---- Pieces of page --------------------------------------------------------------------------------------------

  const SEED = "lab-order-of-options";
  let seedOfReader = null;
  /** What decides the order of options for this reader. */
  function seed() {
    seedOfReader ??= storage.read(SEED);
    if (!Number.isInteger(seedOfReader)) {
      seedOfReader = Math.floor(Math.random() * 2 ** 32);
      storage.write(SEED, seedOfReader);
    }
    return seedOfReader;
  }

  const NEGATIVE = "What is asked for can't be negative, so enter 0 or a larger number.";

  const mark = (right) =>
    el("strong", { class: right ? "right" : "wrong" }, right ? "✓ Right." : "✗ No.");

  let count = 0;

  /** An element that may be connected before the parser has read its JSON child. */
  class Element extends HTMLElement {
    connectedCallback() {
      // The element comes back, for example as part of a notebook cell that was out of sight.
      if (this.data) {
        this.listen();
        this.follow();
      } else afterParsing(() => this.begin());
    }

    disconnectedCallback() {
      document.removeEventListener("lab-question", this);
    }

    begin() {
      if (this.data || !this.isConnected) return;
      this.data = dataOf(this);
      if (!this.data) return; // the markup inside stays
      const { id, options } = this.data;
      if (options) this.data.options = shuffled(id, options, seed());
      this.name = `${this.localName}-${++count}`;
      this.start();
      this.listen();
    }

    listen() {
      document.addEventListener("lab-question", this);
    }

    /** The question on top, and the children below. For screen readers, this is one group named by the number of the question. */
    group(suffix, ...children) {
      const { ask, number, of } = this.data;
      this.setAttribute("role", "group");
      this.setAttribute("aria-labelledby", `${this.name}-kind`);
      this.setAttribute("aria-describedby", `${this.name}-ask`);
      this.replaceChildren(
        el("p", { class: "kind", id: `${this.name}-kind` }, `Question ${number} of ${of}${suffix}`),
        el("p", { class: "ask", id: `${this.name}-ask`, html: ask }),
        ...children,
      );
    }

    handleEvent({ detail }) {
      const { id = detail } = this.data; // the overview has no id, because it is about all questions
      if (detail === null || detail === id) this.follow();
    }
  }

  // ---- A question -------------------------------------------------------------------------------------------------

  class Question extends Element {
    start() {
      const record = store.read(this.data.id);
      if (fits(this.data, record?.answer)) this.showAnswered(record.answer);
      else this.showForm();
    }

    follow() {
      if (this.answered && !store.read(this.data.id)) this.showForm();
    }

    /** Whether the right answer is further down the page, in a <lab-answer>. */
    get locked() {
      return this.data.right === undefined;
    }

    frame(...children) {
      const { code, number } = this.data;
      const program = code
        ? el(
            "pre",
            { role: "group", "aria-label": `Program of question ${number}` },
            el("code", {}, ...lines(code)),
          )
        : "";
      this.group(
        this.locked ? ": your prediction" : "",
        ...(this.isBeside && !this.answered
          ? [el("div", { class: "beside" }, program, el("div", {}, ...children))]
          : [program, ...children]),
      );
    }

    showForm(answer) {
      this.answered = false;
      const { kind } = this.data;
      // The form does not contain the options, because reader modes of browsers remove forms with their content.
      const form = el("form", { novalidate: true, id: `${this.name}-form` });
      const message = el("p", { class: "message", role: "status", id: `${this.name}-message` });
      const body = el("div");
      const { choices: choice, number, order, curve } = this;
      const read = { choice, number, order, curve }[kind].call(this, body, answer, message);
      const send = this.locked ? "Lock in my prediction" : "Check";
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const reading = read();
        if (typeof reading === "string") message.textContent = reading;
        else this.take(reading);
      });
      const actions = el(
        "p",
        { class: "actions" },
        el("button", { type: "submit", form: form.id }, send),
      );
      const isLine = kind === "number";
      this.frame(
        ...(isLine ? [el("div", { class: "line-of-answer" }, body, actions)] : [body, actions]),
        message,
        form,
      );
    }

    /** Whether what is chosen or sorted fits beside the program, where the page is as wide as a desk. */
    get isBeside() {
      const { code, kind, items = [], options = [] } = this.data;
      if (!code || !["choice", "order"].includes(kind)) return false;
      const width = (texts) => Math.max(...texts.map((text) => text.length));
      const answers = [...items, ...options.map(({ text }) => plain(text))];
      return width(code.split("\n")) + width(answers) <= (kind === "order" ? 62 : 68);
    }

    choices(body, answer) {
      const { options, right, several = right?.length > 1 } = this.data;
      const type = several ? "checkbox" : "radio";
      const longest = Math.max(...options.map(({ text }) => plain(text).length));
      const inputs = options.map(({ name }) =>
        el("input", {
          type,
          form: `${this.name}-form`,
          name: this.name,
          value: name,
          checked: answer?.includes(name),
        }),
      );
      body.append(
        type === "checkbox" ? el("p", { class: "hint" }, "More than one answer may be right.") : "",
        el(
          "ul",
          { class: "options", style: `--longest: ${longest}ch` },
          ...options.map(({ text }, i) =>
            el("li", {}, el("label", {}, inputs[i], el("span", { html: text }))),
          ),
        ),
      );
      return () => {
        const names = inputs.filter((input) => input.checked).map((input) => input.value);
        return names.length ? names : "Choose an answer first.";
      };
    }

    number(body, answer, message) {
      const input = el("input", {
        type: "text",
        form: `${this.name}-form`,
        inputmode: "decimal",
        autocomplete: "off",
        size: 8,
        value: answer ?? "",
        "aria-labelledby": `${this.name}-ask ${this.name}-unit`,
      });
      const complain = (wrong) => {
        input.removeAttribute("aria-invalid");
        input.removeAttribute("aria-describedby");
        if (!wrong) return;
        input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", message.id);
      };
      input.addEventListener("input", () => {
        complain(false);
        message.textContent = "";
      });
      body.append(
        el(
          "p",
          { class: "number" },
          input,
          " ",
          el("span", { id: `${this.name}-unit`, html: this.data.unit }),
        ),
      );
      return () => {
        const value = parseNumber(input.value);
        complain(value === null || value < 0);
        if (value === null) return "Enter a number first, for example 2.5.";
        return value < 0 ? NEGATIVE : value;
      };
    }

    order(body, answer) {
      const list = el("ol", { class: "items", role: "list", "aria-label": "Your order" });
      const status = el("p", { class: "vh", role: "status" });
      const { items } = reorder({
        list,
        status,
        items: answer ?? this.data.items,
        button: (label, way, onclick) =>
          button(way === "up" ? "↑" : "↓", onclick, { "aria-label": label }),
        row: (item, moves) =>
          el("li", {}, el("code", {}, item), el("span", { class: "moves" }, ...moves)),
      });
      body.append(list, status);
      return () => items;
    }

    curve(body, answer) {
      const { element, read } = LabCurve.pad(this.data, answer, parseNumber);
      body.append(element);
      return read;
    }

    take(answer) {
      const { id } = this.data;
      const record = store.read(id);
      const before = counted(this.data, record);
      const first = before ?? answer;
      // A locked answer is judged later, by <lab-answer>, when the reader comes there.
      const lastRight = before !== null && typeof record.right === "boolean" ? record.right : null;
      const right = this.locked ? lastRight : isRight(this.data, first);
      const at = Date.now();
      const since = before === null ? at : sinceOf(record);
      store.write(id, { answer, first, right, at, since }, this);
      this.showAnswered(answer);
      this.querySelector(".given").focus();
    }

    /** A sentence with a link to the place of the answer. */
    waits() {
      const placeText = "further down the page";
      const place = document.getElementById(`answer-${this.data.id}`);
      return [
        "The answer waits ",
        place ? el("a", { href: `#${place.id}` }, placeText) : placeText,
        ".",
      ];
    }

    showAnswered(answer) {
      this.answered = true;
      const retry = button(this.locked ? "Change it" : "Try again", () => {
        this.showForm(answer);
        this.querySelector('[role="slider"], input, .items button[aria-disabled="false"]')?.focus();
      });
      const right = isRight(this.data, answer);
      const panel = el("div", { class: "given", tabindex: -1 });
      if (this.locked)
        panel.append(
          el(
            "p",
            {},
            el("strong", {}, "Locked in."),
            " You said ",
            ...said(this.data, answer),
            ". ",
          ),
          el("p", {}, ...this.waits()),
        );
      else panel.append(...solution(this.data, answer, right));
      const first = counted(this.data, store.read(this.data.id)) ?? answer;
      if (!alike(first, answer))
        panel.append(
          el("p", { class: "hint" }, "Your first answer counts: ", ...said(this.data, first), "."),
        );
      this.frame(panel, el("p", { class: "actions" }, retry));
    }
  }

  /** A program line by line, so that a line that is too long for a phone continues below with an indent. */
  function lines(code) {
    return code.split("\n").flatMap((text, i) => {
      const depth = text.search(/\S|$/);
      // The spaces stay with the first letter: alone they would be an empty row above a word that is longer than a phone.
      const begun = el("span", { class: "begun" }, text.slice(0, depth + 1));
      return [
        i ? "\n" : "",
        el("span", { class: "line", style: `--indent: ${depth}ch` }, begun, text.slice(depth + 1)),
      ];
    });
  }

  /** The reader's or the run's answer, as pieces of a sentence. */
  function said(question, answer) {
    if (question.kind === "number")
      return [
        el("strong", {}, LabNumbers.halfUp(answer)),
        " ",
        el("span", { html: question.unit }),
      ];
    if (question.kind === "curve") return LabCurve.said(question, answer);
    if (question.kind === "order")
      return answer.flatMap((item, i) => [i ? ", " : "", el("code", {}, item)]);
    const options = [answer].flat().map((name) => question.options.find((o) => o.name === name));
    return options.flatMap((option, i) => [
      i ? "; " : "",
      el("q", { html: option.text.replace(/\.$/, "") }),
    ]);
  }

  /** Whether an option is right, and whether the reader chose it. */
  function state(good, mine, several) {
    if (mine) return `${good ? "right" : "wrong"}, your answer`;
    if (!several) return good ? "right" : "not right";
    return good ? "right, but you left it out" : "not right, and you left it out";
  }

  /** The reasons. A choice has one for each option, with the reader's options marked. A wrong number may have an explanation, too. */
  function reasons(question, answer, right) {
    const { kind, options, why } = question;
    if (kind === "curve")
      return [...LabCurve.compared(question, answer), why ? el("p", { html: why }) : ""];
    if (kind !== "choice") {
      const thought = right === false && kind === "number" ? mistake(question, answer) : null;
      return [thought, why].filter(Boolean).map((html) => el("p", { html }));
    }
    const rights = [question.right].flat();
    const rows = options.map(({ name, text, why }) => {
      const mine = answer?.includes(name);
      const good = rights.includes(name);
      return el(
        "li",
        { class: good ? "good" : mine ? "bad" : null },
        el("span", { class: "sign", "aria-hidden": "true" }, good ? "✓" : mine ? "✗" : "·"),
        el(
          "span",
          {},
          el("span", { html: text }),
          el(
            "span",
            { class: "state" },
            ` (${state(good, mine, answer && rights.length > 1)})`,
            spokenOnly(". "),
          ),
          el("span", { class: "why", html: why }),
        ),
      );
    });
    return [el("ul", { class: "solved" }, ...rows)];
  }

  /** The right answer and the reasons for it. */
  function solution(question, answer, right) {
    const why = reasons(question, answer, right);
    if (question.kind === "choice") return [el("p", {}, mark(right)), ...why];
    const it = right && question.kind === "order" ? null : rightAnswer(question, "It is ");
    return [
      el("p", {}, mark(right), " You said ", ...said(question, answer), "."),
      it && el("p", {}, ...it),
      ...why,
    ].filter(Boolean);
  }

  /** The right answer as pieces of a sentence. If several orders are right, the first of them. */
  function rightAnswer(question, prefix) {
    const { kind, right } = question;
    const shownAnswer = kind === "order" && Array.isArray(right[0]) ? right[0] : right;
    return [prefix, ...said(question, shownAnswer), "."];
  }

  // ---- The right answer, where the page decides it -----------------------------------------------------------------

  /**
   * Show what tells an answer once its card is open; until then a line that leads to the card. A page names sentences:
   * `{container} lab-opens-with start-wait`. The box of a claim is known by its name, which is that of the question, and
   * waits where it is above the card; not if the address leads to it. Without a script all of them are shown.
   */
  function openTellers(card, id, open) {
    const claim = document.getElementById(`claim-${id}`);
    const isAbove = claim && claim.compareDocumentPosition(card) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isAbove && location.hash !== `#claim-${id}`) claim.classList.add("lab-opens-with", id);
    for (const place of document.querySelectorAll(`.lab-opens-with.${CSS.escape(id)}`)) {
      if (place.classList.contains("closed") !== open) continue;
      place.classList.toggle("closed", !open);
      if (open) place.querySelector(":scope > .waits").remove();
      else {
        const link = el("a", { href: `#answer-${id}` }, "the answer");
        place.prepend(el("p", { class: "waits" }, "This opens with ", link, "."));
      }
    }
  }

  class Answer extends Element {
    start() {
      this.watch = new IntersectionObserver((entries) => {
        this.met = entries.at(-1).isIntersecting;
        if (this.met) this.follow();
      });
      this.follow();
    }

    listen() {
      super.listen();
      this.watch.observe(this);
      addEventListener("beforeprint", this);
    }

    disconnectedCallback() {
      super.disconnectedCallback();
      this.watch?.disconnect();
      removeEventListener("beforeprint", this);
    }

    handleEvent(event) {
      if (event.type !== "beforeprint") return super.handleEvent(event);
      const { met } = this;
      this.met = true; // on paper the reader sees all answers
      this.follow();
      this.met = met;
    }

    follow() {
      const { id, right: decides, where: prefix } = this.data;
      const record = store.read(id);
      const answer = counted(this.data, record);
      const right = isRight(this.data, answer);
      // The record says what is right once the reader has come here. Until then the list of predictions says "locked in".
      if (this.met && answer !== null && record.right !== right && !this.judging) {
        this.judging = true; // two answers to one question must not correct each other for ever
        store.write(id, { ...record, right }, this);
        this.judging = false;
      }
      const place = document.getElementById(`question-${id}`);
      const last = fits(this.data, record?.answer) ? record.answer : answer;
      const open = answer !== null || Boolean(this.open);
      openTellers(this, id, open);
      // The answer may come into sight many times, and what a reader has unfolded stays open.
      const state = JSON.stringify([answer, last, Boolean(place), open]);
      if (state === this.drawn) return;
      this.drawn = state;
      const link = (text) => (place ? el("a", { href: `#question-${id}` }, text) : text);
      const later = alike(last, answer) ? [] : [", and then ", ...said(this.data, last)];
      const mine =
        answer === null
          ? ["You have not ", link("made your prediction"), "."]
          : ["You ", link("predicted"), " ", ...said(this.data, answer), ...later, "."];
      const content =
        decides === null
          ? [el("p", {}, "This run could not decide it.")]
          : [
              el("p", {}, ...rightAnswer(this.data, `${prefix}: `)),
              ...reasons(this.data, answer, right),
            ];
      this.group(
        ": the answer",
        ...(open
          ? [
              el("p", {}, right === null ? null : mark(right), " ", ...mine),
              el("div", { class: "given", tabindex: -1 }, ...content),
            ]
          : [
              el(
                "div",
                { class: "line-of-answer" },
                el("p", {}, ...mine),
                el(
                  "p",
                  { class: "actions" },
                  button("Show without predicting", () => this.show()),
                ),
              ),
            ]),
      );
    }

    show() {
      this.open = true;
      this.follow();
      this.querySelector(".given").focus();
    }
  }

  customElements.define("lab-question", Question);
  customElements.define("lab-answer", Answer);
  globalThis.LabQuestion = { Element, Question, store, said, rightAnswer, solution };
})();
