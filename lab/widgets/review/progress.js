// <lab-progress>: all questions of the book, what its reader said, and what came of it; as a file, too. Its content is JSON
// (lab/book/pages/predictions.py); without JavaScript the markup inside stays.

(() => {
  if (typeof customElements === "undefined" || customElements.get("lab-progress")) return;
  const { el, button, storage } = LabDom;
  const { Element, store, said: words, decided } = LabQuestion;
  const { log, known, onPage, keep, reviewed, standing, tell } = LabReview;
  const { curve, inDays, percent } = LabReview;
  const { merged, written, table, read, NoAnswers } = LabReview;
  const PREFIX = "lab-question:"; // of what question.js keeps
  const BIGGEST = 20e6; // bytes of a file that is read
  const FILTERS = [
    ["all", "All", () => true],
    ["answered", "Answered", ({ page, later }) => page || later.length],
    ["wrong", "Wrong", ({ page, later }) => (later.at(-1) ?? page)?.right === false],
    ["due", "Due for review", ({ state }) => state && state.due <= Date.now()],
  ];

  class Progress extends Element {
    start() {
      this.filter = "all";
      // Elements for good: what is replaced with its text in it is not read out.
      this.status = el("p", { role: "status", tabindex: -1 });
      this.message = el("p", { role: "status", class: "message" });
      this.choice = el("fieldset", { class: "filters" }, el("legend", {}, "Show"));
      for (const [name, label] of FILTERS) this.choice.append(this.option(name, label));
      this.list = el("div");
      this.curve = el("div");
      this.files = el("div", { class: "files" }, ...this.exchange());
      this.replaceChildren(this.status, this.choice, this.list, this.curve, this.files);
      this.follow();
    }

    option(name, label) {
      const input = el("input", {
        type: "radio",
        name: `${this.name}-filter`,
        value: name,
        checked: name === this.filter,
        onchange: () => {
          this.filter = name;
          this.follow();
        },
      });
      return el("label", {}, input, el("span", {}, label));
    }

    /** Each chapter with its questions, and what this browser knows of them. */
    found() {
      const said = log.read();
      return this.data.map((chapter) => ({
        ...chapter,
        questions: chapter.questions.map((question) => ({
          question,
          page: onPage(question),
          later: reviewed(question, said),
          state: known(question) ? standing(question, said).state : null,
        })),
      }));
    }

    follow() {
      const chapters = this.found();
      const all = chapters.flatMap(({ questions }) => questions);
      const given = all.filter(({ page }) => page);
      const told = given.filter(({ page }) => typeof page.right === "boolean");
      const good = told.filter(({ page }) => page.right).length;
      const became = told.length
        ? `; ${good} of the ${told.length} that were told were right.`
        : ".";
      this.status.textContent = `${given.length} of ${all.length} answered${became}`;
      const [, , wanted] = FILTERS.find(([name]) => name === this.filter);
      const open = new Set(
        [...this.list.querySelectorAll("details[open]")].map(({ dataset }) => dataset.chapter),
      );
      const shown = chapters
        .map((chapter) => ({ ...chapter, some: chapter.questions.filter(wanted) }))
        .filter(({ some }) => some.length);
      this.list.replaceChildren(
        ...shown.map((one) => this.chapter(one, this.filter !== "all" || open.has(one.chapter))),
        shown.length ? "" : el("p", {}, "None of your answers is of that kind now."),
      );
      this.curve.replaceChildren(curve(log.read()));
      this.forgets.disabled = !given.length && !log.read().length;
    }

    chapter({ chapter, title, questions, some }, open) {
      const count = (of) => questions.filter(of).length;
      const answered = count(({ page }) => page);
      const right = count(({ page }) => page?.right === true);
      const wrong = count(({ page }) => page?.right === false);
      const told = [right && `✓ ${right} right`, wrong && `✗ ${wrong} wrong`].filter(Boolean);
      const tally = [`${answered} of ${questions.length} answered`, ...told].join(", ");
      return el(
        "details",
        { open, "data-chapter": chapter },
        el("summary", {}, el("span", { class: "title" }, title), ` ${tally}`),
        el("ol", {}, ...some.map((one) => this.row(one))),
      );
    }

    row({ question, page, later, state }) {
      const { ask, url, section } = question;
      const lines = [el("p", { class: "ask", html: ask })];
      const link = el("a", { href: url }, section || "Its page");
      if (page) lines.push(el("p", {}, ...this.became(question, page)));
      else lines.push(el("p", { class: "open" }, "○ Not answered on its page."));
      const last = later.at(-1);
      if (last) {
        const when = later.length > 1 ? `${later.length} reviews, the last time` : "a review";
        lines.push(
          el(
            "p",
            {},
            sign(last.right, ""),
            ` in ${when}: you said `,
            ...words(question, last.answer),
            `, ${percent(last.sure)} sure.`,
          ),
        );
      }
      const due = state ? ` Due for review ${inDays(state.due, Date.now())}.` : "";
      lines.push(el("p", { class: "hint" }, "Where: ", link, `.${due}`));
      return el("li", {}, ...lines);
    }

    /** What was said on the page; what is right only once the page has told it. */
    became(question, page) {
      if (!known(question)) return ["● Answered."];
      const mine = [" You said ", ...words(question, page.first)];
      if (page.right === null)
        return [el("strong", {}, "● Locked in."), ...mine, ". Its page tells what is right."];
      if (page.right) return [sign(true, "."), ...mine, "."];
      const it = (question.right ?? null) === null ? [] : decided(question, " It is ");
      return [sign(false, "."), ...mine, ".", ...it];
    }

    // ---- As a file ---------------------------------------------------------------------------------------------------

    exchange() {
      const file = el("input", {
        type: "file",
        accept: ".json,application/json",
        id: `${this.name}-file`,
        onchange: async () => {
          const [chosen] = file.files;
          file.value = ""; // the same file again is a change, too
          if (chosen) await this.take(chosen);
        },
      });
      this.forgets = button("Forget all my answers", () => this.reset());
      return [
        el("h2", {}, "Your answers as a file"),
        el(
          "p",
          {},
          "The file has your answers, when you gave them, and how sure you were. It has no name in it, and nothing is sent: ",
          "if your class collects such files, you hand it in yourself, or you do not.",
        ),
        el(
          "p",
          { class: "actions" },
          button("Save as JSON", () => this.save("json")),
          button("Save as CSV", () => this.save("csv")),
        ),
        el(
          "p",
          {},
          el(
            "label",
            { for: file.id },
            "Put in answers that you saved as JSON in another browser:",
          ),
          " ",
          file,
        ),
        this.message,
        el("p", { class: "actions" }, this.forgets),
      ];
    }

    pages() {
      return this.data.flatMap(({ chapter, questions }) =>
        questions
          .filter(known)
          .map((question) => ({
            id: question.id,
            chapter,
            kind: question.kind,
            ...onPage(question),
          }))
          .filter(({ first }) => first !== undefined),
      );
    }

    save(kind) {
      const [pages, said] = [this.pages(), log.read()];
      const text = kind === "json" ? written(pages, said, Date.now()) : table(pages, said);
      const type = kind === "json" ? "application/json" : "text/csv";
      const href = URL.createObjectURL(new Blob([text], { type }));
      el("a", { href, download: `my-answers.${kind}` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000); // the browser may be asking where to
      this.message.textContent = `${pages.length + said.length} answers are in my-answers.${kind}.`;
    }

    async take(file) {
      try {
        if (file.size > BIGGEST) throw new NoAnswers("it is larger than 20 MB");
        this.message.textContent = this.put(read(await file.text()));
      } catch (error) {
        if (!(error instanceof NoAnswers || error instanceof DOMException)) throw error;
        this.message.textContent =
          `${file.name.slice(0, 80)} can’t be used: ${error.message}. Choose a file that this page saved as JSON. ` +
          "Nothing was changed.";
      }
    }

    /** Put answers of a file beside those that are here; says what came of it. */
    put({ pages, said, left }) {
      const known = new Map(this.data.flatMap(({ questions }) => questions).map((q) => [q.id, q]));
      let taken = 0;
      let strange = left;
      let full = 0;
      for (const [id, record] of pages) {
        const question = known.get(id);
        if (!question || !this.fit(question, record)) strange += 1;
        else if (keep(question, merged(onPage(question), record))) taken += 1;
        else full += 1;
      }
      const fitting = said.filter(({ id, answer }) => {
        const question = known.get(id);
        return question && this.fit(question, { first: answer, answer });
      });
      strange += said.length - fitting.length;
      log.add(fitting);
      tell();
      const others = strange
        ? ` ${strange} more are of questions that this book does not have, or do not fit them.`
        : "";
      const refused = full ? ` ${full} could not be kept: this browser has no room for them.` : "";
      return `${taken + fitting.length} answers of the file are here now, beside those that were here before.${others}${refused}`;
    }

    fit(question, { first, answer }) {
      const { fits } = LabQuestionModel;
      return known(question) && fits(question, first) && fits(question, answer);
    }

    reset() {
      if (!confirm("Forget all your answers in this book? They are kept nowhere else.")) return;
      for (const key of storage.keys("loop-replay:")) storage.set(key, null);
      log.forget();
      // Also of questions that the book no longer asks.
      const kept = storage.keys(PREFIX).map((key) => key.slice(PREFIX.length));
      const asked = this.data.flatMap(({ questions }) => questions).map(({ id }) => id);
      store.forget(new Set([...asked, ...kept]));
      this.status.focus();
    }
  }

  const sign = (right, end) =>
    el(
      "strong",
      { class: right ? "right" : "wrong" },
      `${right ? "✓ Right" : "✗ Not right"}${end}`,
    );

  customElements.define("lab-progress", Progress);
})();
