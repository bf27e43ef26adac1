// Predictions and questions: <lab-question>, and what is right, where it is decided: <lab-answer>. The review that asks them again
// and the list of all of them are built upon these (lab/widgets/review).
// Their content is JSON (lab/widgets/question/question.py); without JavaScript the markup inside stays. Answers are kept in this browser.

(() => {
  const PREFIX = "lab-question:";

  // ---- What an answer is worth: no page needed ---------------------------------------------------------------

  /** "1,000" and "1 000" are thousand, "0,125" is an eighth; null for what is no number. */
  function parseNumber(text) {
    const plain = text.trim().replace(/[\s_×%]/g, "");
    const grouped = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/.test(plain);
    const value = Number(grouped ? plain.replaceAll(",", "") : plain.replace(",", "."));
    return plain === "" || !Number.isFinite(value) ? null : value;
  }

  /** Whether a number is another one but for a factor. */
  function near(value, right, within) {
    if (value === 0 || right === 0 || value < 0 !== right < 0) return value === right;
    const ratio = Math.abs(value / right);
    return ratio <= within * 1.000001 && 1 / ratio <= within * 1.000001;
  }

  /** true, false, or null while it is not known what is right: a prediction is locked until the page decides it. */
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

  /** Whether a kept answer still fits the question: its options may have changed since. */
  function fits(question, answer) {
    if (question.kind === "number") return typeof answer === "number";
    if (question.kind === "curve") return LabCurve.fits(question, answer);
    if (!Array.isArray(answer)) return false;
    const names = question.options?.map((o) => o.name) ?? question.items;
    if (question.kind === "order") return same([...names].sort(), [...answer].sort());
    return answer.length > 0 && answer.every((name) => names.includes(name));
  }

  /** The answer that counts, the first: what comes after it may have seen the solution. Null if there is none. */
  function counted(question, kept) {
    const given = [kept?.first, kept?.answer].find((answer) => fits(question, answer));
    return given === undefined ? null : given;
  }

  /** When the answer that counts was given; 0 if nobody knows. Before 24 November 2026 only the time of the last was kept. */
  const sinceOf = (kept) => [kept?.since, kept?.at].find(Number.isFinite) ?? 0;

  /** What to tell those who came to this number by a typical error; undefined if none fits. */
  function mistake({ mistakes = [] }, answer) {
    return mistakes.find(({ low, high }) => low <= answer && answer <= high)?.why;
  }

  const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
  const alike = (a, b) => a === b || (Array.isArray(a) && Array.isArray(b) && same(a, b));

  globalThis.LabQuestionModel = { near, parseNumber, isRight, fits, counted, sinceOf, mistake };
  if (typeof customElements === "undefined" || customElements.get("lab-question")) return;

  // ---- Where answers are kept ---------------------------------------------------------------------------------

  const { el, button, hidden, whenParsed, dataOf, storage, reorder } = LabDom;
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
  // Another tab has answered.
  addEventListener("storage", ({ key }) => {
    if (key === null) tell(null);
    else if (key.startsWith(PREFIX)) tell(key.slice(PREFIX.length));
  });
  // A page that comes back with the browser's Back button was told of nothing meanwhile.
  addEventListener("pageshow", ({ persisted }) => persisted && tell(null));

  // ---- Pieces of page --------------------------------------------------------------------------------------------

  const mark = (right) =>
    el("strong", { class: right ? "right" : "wrong" }, right ? "✓ Right." : "✗ No.");

  let count = 0;

  /** An element whose JSON child may not have been parsed yet when it is met. */
  class Element extends HTMLElement {
    connectedCallback() {
      // It was away, as a cell is that is scrolled out of sight.
      if (this.data) {
        this.listen();
        this.follow();
      } else whenParsed(() => this.begin());
    }

    disconnectedCallback() {
      document.removeEventListener("lab-question", this);
    }

    begin() {
      if (this.data || !this.isConnected) return;
      this.data = dataOf(this);
      if (!this.data) return; // the markup inside stays
      this.name = `${this.localName}-${++count}`;
      this.start();
      this.listen();
    }

    listen() {
      document.addEventListener("lab-question", this);
    }

    /** What it is about on top, and the rest below: one group for the ear, named by its number. */
    group(what, ...children) {
      const { ask, number, of } = this.data;
      this.setAttribute("role", "group");
      this.setAttribute("aria-labelledby", `${this.name}-kind`);
      this.setAttribute("aria-describedby", `${this.name}-ask`);
      this.replaceChildren(
        el("p", { class: "kind", id: `${this.name}-kind` }, `Question ${number} of ${of}${what}`),
        el("p", { class: "ask", id: `${this.name}-ask`, html: ask }),
        ...children,
      );
    }

    handleEvent({ detail }) {
      const { id = detail } = this.data; // the overview has none: it is about all
      if (detail === null || detail === id) this.follow();
    }
  }

  // ---- A question -------------------------------------------------------------------------------------------------

  class Question extends Element {
    start() {
      const kept = store.read(this.data.id);
      if (fits(this.data, kept?.answer)) this.showAnswered(kept.answer);
      else this.showForm();
    }

    follow() {
      if (this.answered && !store.read(this.data.id)) this.showForm();
    }

    /** Its answer waits where the page decides it, in a <lab-answer>. */
    get locked() {
      return this.data.right === undefined;
    }

    frame(...children) {
      const { code, number } = this.data;
      this.group(
        this.locked ? ": your prediction" : "",
        code
          ? el(
              "pre",
              { role: "group", "aria-label": `Program of question ${number}` },
              el("code", {}, ...lines(code)),
            )
          : "",
        ...children,
      );
    }

    showForm(answer) {
      this.answered = false;
      const { kind } = this.data;
      // Beside what it sends, not around it: reader modes throw forms away, and the options with them.
      const form = el("form", { novalidate: true, id: `${this.name}-form` });
      const message = el("p", { class: "message", role: "status", id: `${this.name}-message` });
      const body = el("div");
      const { choices: choice, number, order, curve } = this;
      const read = { choice, number, order, curve }[kind].call(this, body, answer, message);
      const send = this.locked ? "Lock in my prediction" : "Check";
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const given = read();
        if (typeof given === "string") message.textContent = given;
        else this.take(given);
      });
      this.frame(
        body,
        el("p", { class: "actions" }, el("button", { type: "submit", form: form.id }, send)),
        message,
        form,
      );
    }

    choices(body, answer) {
      const { options, right, several = right?.length > 1 } = this.data;
      const type = several ? "checkbox" : "radio";
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
        type === "checkbox" ? el("p", { class: "hint" }, "More than one may be right.") : "",
        el(
          "ul",
          { class: "options" },
          ...options.map(({ text }, i) =>
            el("li", {}, el("label", {}, inputs[i], el("span", { html: text }))),
          ),
        ),
      );
      return () => {
        const given = inputs.filter((input) => input.checked).map((input) => input.value);
        return given.length ? given : "Choose an answer first.";
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
        const given = parseNumber(input.value);
        complain(given === null);
        return given ?? "Write a number first, for example 2.5.";
      };
    }

    order(body, answer) {
      const list = el("ol", { class: "items", role: "list", "aria-label": "Your order" });
      const told = el("p", { class: "vh", role: "status" });
      const { items } = reorder({
        list,
        told,
        items: answer ?? this.data.items,
        button: (label, way, onclick) =>
          button(way === "up" ? "↑" : "↓", onclick, { "aria-label": label }),
        row: (item, moves) =>
          el("li", {}, el("code", {}, item), el("span", { class: "moves" }, ...moves)),
      });
      body.append(list, told);
      return () => items;
    }

    curve(body, answer) {
      const { element, read } = LabCurve.pad(this.data, answer, parseNumber);
      body.append(element);
      return read;
    }

    take(answer) {
      const { id } = this.data;
      const kept = store.read(id);
      const before = counted(this.data, kept);
      const first = before ?? answer;
      // Of a locked one it is not known: <lab-answer> says so once the reader is there.
      const known = before !== null && typeof kept.right === "boolean" ? kept.right : null;
      const right = this.locked ? known : isRight(this.data, first);
      const at = Date.now();
      const since = before === null ? at : sinceOf(kept);
      store.write(id, { answer, first, right, at, since }, this);
      this.showAnswered(answer);
      this.querySelector(".given").focus();
    }

    /** Where the answer will stand. */
    waits() {
      const where = "further down the page";
      const place = document.getElementById(`answer-${this.data.id}`);
      return ["The answer waits ", place ? el("a", { href: `#${place.id}` }, where) : where, "."];
    }

    showAnswered(answer) {
      this.answered = true;
      const again = button(this.locked ? "Change it" : "Try again", () => {
        this.showForm(answer);
        this.querySelector('[role="slider"], input, .items button[aria-disabled="false"]')?.focus();
      });
      const right = isRight(this.data, answer);
      const given = el("div", { class: "given", tabindex: -1 });
      if (this.locked)
        given.append(
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
      else given.append(...solution(this.data, answer, right));
      const first = counted(this.data, store.read(this.data.id)) ?? answer;
      if (!alike(first, answer))
        given.append(
          el("p", { class: "hint" }, "Your first answer counts: ", ...said(this.data, first), "."),
        );
      this.frame(given, el("p", { class: "actions" }, again));
    }
  }

  /** A program line by line, so that a line too long for a phone goes on below, further in. */
  function lines(code) {
    return code.split("\n").flatMap((text, i) => {
      const indent = `--indent: ${text.search(/\S|$/)}ch`;
      return [i ? "\n" : "", el("span", { class: "line", style: indent }, text)];
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
    const chosen = [answer].flat().map((name) => question.options.find((o) => o.name === name));
    return chosen.flatMap((option, i) => [
      i ? "; " : "",
      el("q", { html: option.text.replace(/\.$/, "") }),
    ]);
  }

  /** What an option was worth, and what the reader did with it. */
  function state(good, mine, several) {
    if (mine) return `${good ? "right" : "wrong"}, your answer`;
    if (!several) return good ? "right" : "not right";
    return good ? "right, you left it out" : "not right, and you left it out";
  }

  /** Why it is right: of each option, with the reader's marked; for a number, what may have led elsewhere, too. */
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
            hidden(". "),
          ),
          el("span", { class: "why", html: why }),
        ),
      );
    });
    return [el("ul", { class: "solved" }, ...rows)];
  }

  /** What is right and why, at once. */
  function solution(question, answer, right) {
    const why = reasons(question, answer, right);
    if (question.kind === "choice") return [el("p", {}, mark(right)), ...why];
    const it = right && question.kind === "order" ? null : decided(question, "It is ");
    return [
      el("p", {}, mark(right), " You said ", ...said(question, answer), "."),
      it && el("p", {}, ...it),
      ...why,
    ].filter(Boolean);
  }

  /** What is right, as pieces of a sentence; of several orders one. */
  function decided(question, where) {
    const { kind, right } = question;
    const wanted = kind === "order" && Array.isArray(right[0]) ? right[0] : right;
    return [where, ...said(question, wanted), "."];
  }

  // ---- What is right, where the page decides it --------------------------------------------------------------------

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
      this.met = true; // on paper the reader meets all of them
      this.follow();
      this.met = met;
    }

    follow() {
      const { id, right: decides, where } = this.data;
      const kept = store.read(id);
      const answer = counted(this.data, kept);
      const right = isRight(this.data, answer);
      // Told once the reader has come here: until then the list of all predictions says "locked in".
      if (this.met && answer !== null && kept.right !== right && !this.judging) {
        this.judging = true; // two runs of one question must not contradict each other for ever
        store.write(id, { ...kept, right }, this);
        this.judging = false;
      }
      const place = document.getElementById(`question-${id}`);
      const last = fits(this.data, kept?.answer) ? kept.answer : answer;
      const open = answer !== null || this.open;
      // It comes into sight again and again: what a reader has unfolded in it stays.
      const state = JSON.stringify([answer, last, Boolean(place), open]);
      if (state === this.drawn) return;
      this.drawn = state;
      const link = (text) => (place ? el("a", { href: `#question-${id}` }, text) : text);
      const later = alike(last, answer) ? [] : [", and then ", ...said(this.data, last)];
      const mine =
        answer === null
          ? ["You have not ", link("made your prediction"), "."]
          : ["You ", link("predicted"), " ", ...said(this.data, answer), ...later, "."];
      const told =
        decides === null
          ? [el("p", {}, "This run could not tell.")]
          : [
              el("p", {}, ...decided(this.data, `${where}: `)),
              ...reasons(this.data, answer, right),
            ];
      this.group(
        ": the answer",
        el("p", {}, right === null ? null : mark(right), " ", ...mine),
        open
          ? el("div", { class: "given", tabindex: -1 }, ...told)
          : el(
              "p",
              { class: "actions" },
              button("Show without predicting", () => this.show()),
            ),
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
  globalThis.LabQuestion = { Element, Question, store, said, decided, solution };
})();
