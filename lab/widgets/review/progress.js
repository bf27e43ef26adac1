// <lab-progress>: all questions of the book, the answers of the reader, and which were right. The reader can save the answers as a
// file. The content is JSON (lab/book/pages/predictions.py). Without JavaScript the markup inside stays.

(() => {
  if (typeof customElements === "undefined" || customElements.get("lab-progress")) return;
  const { el, button, storage } = LabDom;
  const { Element, store, said: words, rightAnswer } = LabQuestion;
  const { log, isJudgeable, onPage, keep, reviewsOf, standing, tell } = LabReview;
  const { curve, inDays, percent } = LabReview;
  const { mergeRecords, jsonFile, table, read, NoAnswers } = LabReview;
  const PREFIX = "lab-question:"; // of the keys that question.js uses
  const BIGGEST = 20e6; // bytes: the largest file that the page reads
  const FILTERS = [
    ["all", "All", () => true],
    ["answered", "Answered", ({ page, later }) => page || later.length],
    ["wrong", "Wrong", ({ page, later }) => (later.at(-1) ?? page)?.right === false],
    ["due", "Due for review", ({ state }) => state && state.due <= Date.now()],
  ];

  class Progress extends Element {
    start() {
      this.filter = "all";
      // The elements stay, because a screen reader does not read out a new element that already has its text.
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

    /** Each chapter with its questions, and the answers that this browser has. */
    found() {
      const reviews = log.read();
      return this.data.map((chapter) => ({
        ...chapter,
        questions: chapter.questions.map((question) => ({
          question,
          page: onPage(question),
          later: reviewsOf(question, reviews),
          state: isJudgeable(question) ? standing(question, reviews).state : null,
        })),
      }));
    }

    follow() {
      const chapters = this.found();
      const entries = chapters.flatMap(({ questions }) => questions);
      const answeredEntries = entries.filter(({ page }) => page);
      const toldEntries = answeredEntries.filter(({ page }) => typeof page.right === "boolean");
      const good = toldEntries.filter(({ page }) => page.right).length;
      const became = toldEntries.length
        ? `; ${good} of the ${toldEntries.length} with a known result were right.`
        : ".";
      this.status.textContent = `${answeredEntries.length} of ${entries.length} answered${became}`;
      const [, , matches] = FILTERS.find(([name]) => name === this.filter);
      const open = new Set(
        [...this.list.querySelectorAll("details[open]")].map(({ dataset }) => dataset.chapter),
      );
      const visibleChapters = chapters
        .map((chapter) => ({ ...chapter, visible: chapter.questions.filter(matches) }))
        .filter(({ visible }) => visible.length);
      this.list.replaceChildren(
        ...visibleChapters.map((chapter) =>
          this.chapter(chapter, this.filter !== "all" || open.has(chapter.chapter)),
        ),
        visibleChapters.length ? "" : el("p", {}, "None of your answers is of that kind now."),
      );
      this.curve.replaceChildren(curve(log.read()));
      this.forgets.disabled = !answeredEntries.length && !log.read().length;
    }

    chapter({ chapter, title, questions, visible }, open) {
      const count = (of) => questions.filter(of).length;
      const answered = count(({ page }) => page);
      const right = count(({ page }) => page?.right === true);
      const wrong = count(({ page }) => page?.right === false);
      const verdicts = [right && `✓ ${right} right`, wrong && `✗ ${wrong} wrong`].filter(Boolean);
      const tally = [`${answered} of ${questions.length} answered`, ...verdicts].join(", ");
      return el(
        "details",
        { open, "data-chapter": chapter },
        el(
          "summary",
          {},
          el("span", { class: "title" }, title),
          " ",
          el("span", { class: "tally" }, tally),
        ),
        el("ol", {}, ...visible.map((entry) => this.row(entry))),
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

    /** The answer on the page. The right answer follows only if the page has shown it. */
    became(question, page) {
      if (!isJudgeable(question)) return ["● Answered."];
      const mine = [" You said ", ...words(question, page.first)];
      if (page.right === null)
        return [el("strong", {}, "● Locked in."), ...mine, ". Its page has the right answer."];
      if (page.right) return [sign(true, "."), ...mine, "."];
      const it = (question.right ?? null) === null ? [] : rightAnswer(question, " It is ");
      return [sign(false, "."), ...mine, ".", ...it];
    }

    // ---- As a file ---------------------------------------------------------------------------------------------------

    exchange() {
      const file = el("input", {
        type: "file",
        accept: ".json,application/json",
        id: `${this.name}-file`,
        onchange: async () => {
          const [answersFile] = file.files;
          file.value = ""; // so that choosing the same file again is a change
          if (answersFile) await this.take(answersFile);
        },
      });
      this.forgets = button("Forget all my answers", () => this.reset());
      return [
        el("h2", {}, "Your answers as a file"),
        el(
          "p",
          {},
          "The file has your answers, when you gave them, and how sure you were. The file has no name in it, and nothing is ",
          "sent. If your class collects such files, you decide whether to hand it in.",
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
            "Import answers that you saved as JSON in another browser:",
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
          .filter(isJudgeable)
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
      const [pages, reviews] = [this.pages(), log.read()];
      const text = kind === "json" ? jsonFile(pages, reviews, Date.now()) : table(pages, reviews);
      const type = kind === "json" ? "application/json" : "text/csv";
      const href = URL.createObjectURL(new Blob([text], { type }));
      el("a", { href, download: `my-answers.${kind}` }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000); // the browser may still ask where to save
      this.message.textContent = `${pages.length + reviews.length} answers are in my-answers.${kind}.`;
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

    /** Add the answers of a file to those in this browser. Returns a sentence about the result. */
    put({ pages, said: reviews, left }) {
      const byId = new Map(this.data.flatMap(({ questions }) => questions).map((q) => [q.id, q]));
      let acceptedCount = 0;
      let strangeCount = left;
      let fullCount = 0;
      for (const [id, record] of pages) {
        const question = byId.get(id);
        if (!question || !this.fit(question, record)) strangeCount += 1;
        else if (keep(question, mergeRecords(onPage(question), record))) acceptedCount += 1;
        else fullCount += 1;
      }
      const fitting = reviews.filter(({ id, answer }) => {
        const question = byId.get(id);
        return question && this.fit(question, { first: answer, answer });
      });
      strangeCount += reviews.length - fitting.length;
      log.add(fitting);
      tell();
      const strangeText = strangeCount
        ? ` ${strangeCount} more belong to questions that this book does not have, or do not ` +
          "fit their questions."
        : "";
      const fullText = fullCount
        ? ` ${fullCount} could not be stored, because this browser has no room for them.`
        : "";
      return (
        `${acceptedCount + fitting.length} answers from the file are here now, together ` +
        `with your earlier answers.${strangeText}${fullText}`
      );
    }

    fit(question, { first, answer }) {
      const { fits } = LabQuestionModel;
      return isJudgeable(question) && fits(question, first) && fits(question, answer);
    }

    reset() {
      if (!confirm("Forget all your answers in this book? They are not stored anywhere else."))
        return;
      for (const prefix of ["loop-replay:", "lab-project:"])
        for (const key of storage.keys(prefix)) storage.set(key, null);
      log.forget();
      // The storage may have answers to questions that the book no longer asks.
      const storedIds = storage.keys(PREFIX).map((key) => key.slice(PREFIX.length));
      const bookIds = this.data.flatMap(({ questions }) => questions).map(({ id }) => id);
      store.forget(new Set([...bookIds, ...storedIds]));
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
