// <lab-review>: asks some questions of a part and of the parts before once more, and how sure one is. Its content is JSON
// (lab/book/pages/reviews.py); without JavaScript the markup inside stays.

(() => {
  if (typeof customElements === "undefined" || customElements.get("lab-review")) return;
  const { el, button, storage } = LabDom;
  const { isRight } = LabQuestionModel;
  const { Element, Question, solution } = LabQuestion;
  const { LOG, log, onPage, standing, known } = LabReview;
  const { choose, outlook, inDays, steps, percent, curve, SITTING } = LabReview;
  const STALE = 12 * 3_600_000; // ms; a sitting that was left longer ago is not gone on with

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  /** A question that is asked again: it wants a confidence, tells at once, and leaves what was said on the page alone. */
  class Asked extends Question {
    start() {
      this.showForm();
    }

    follow() {}

    frame(first, ...rest) {
      if (this.answered) return super.frame(first, ...rest);
      super.frame(first, this.sureness(), ...rest);
    }

    sureness() {
      const { kind, within } = this.data;
      const what =
        kind === "number" && within > 1
          ? `How sure are you to be within a factor of ${LabNumbers.bare(within)}?`
          : "How sure are you to be right?";
      const said = steps(this.data);
      const guess = kind === "choice" && said[0] > 0.1 ? said[0] : null; // where the options give it
      const named = { [guess]: `${percent(guess)}, a guess`, 1: "100 %, certain" };
      return el(
        "fieldset",
        { class: "sure" },
        el("legend", {}, what),
        ...said.map((step) =>
          el(
            "label",
            {},
            el("input", {
              type: "radio",
              name: `${this.name}-sure`,
              value: step,
              form: `${this.name}-form`,
            }),
            el("span", {}, named[step] ?? percent(step)),
          ),
        ),
      );
    }

    take(answer) {
      const chosen = this.querySelector(".sure input:checked");
      if (!chosen) {
        this.querySelector(".message").textContent = "Say how sure you are, too.";
        this.querySelector(".sure input").focus();
        return;
      }
      this.keeps(answer, Number(chosen.value));
      this.showAnswered(answer);
      this.querySelector(".given").focus();
    }

    showAnswered(answer) {
      this.answered = true;
      const given = el("div", { class: "given", tabindex: -1 });
      given.append(
        ...solution(this.data, answer, isRight(this.data, answer)),
        readAgain(this.data),
      );
      this.frame(given, el("p", { class: "actions" }, ...this.goesOn()));
    }
  }

  class Review extends Element {
    start() {
      this.questions = this.data.chapters.flatMap(({ title, own, questions }, chapter) =>
        questions
          .filter(known)
          .map((question) => ({ ...question, title, own: own === true, chapter })),
      );
      this.byId = new Map(this.questions.map((question) => [question.id, question]));
      this.key = `${LOG}:${this.data.page}`;
      // One element for good: what is replaced with its text in it is not read out.
      this.told = el("p", { role: "status", class: "told", tabindex: -1 });
      this.place = el("div");
      this.replaceChildren(this.told, this.place);
      this.isKept = true;
      this.sitting = this.kept();
      if (!this.sitting || Date.now() - this.sitting.began > STALE) this.offer();
      else if (this.left().length) this.ask();
      else this.account();
    }

    /** Another tab has answered: what is offered may be less. A question that is being read stays. */
    follow() {
      if (this.offers) this.offer();
    }

    /** The cards that may be asked, for schedule.js. */
    cards() {
      const said = log.read();
      const begun = new Set(this.questions.filter(onPage).map(({ chapter }) => chapter));
      return this.questions
        .map((question) => ({
          ...question,
          ...standing(question, said),
          begun: begun.has(question.chapter),
        }))
        .filter(({ waits }) => !waits);
    }

    /** { began, ids } of the sitting that is under way or was ended; null for none. */
    kept() {
      const kept = storage.read(this.key);
      const ids = Array.isArray(kept?.ids) ? kept.ids.filter((id) => this.byId.has(id)) : [];
      return ids.length && Number.isFinite(kept.began) ? { began: kept.began, ids } : null;
    }

    /** What was said in it. */
    said() {
      const { began, ids } = this.sitting;
      return log.read().filter(({ id, at }) => at >= began && ids.includes(id));
    }

    left() {
      const said = new Set(this.said().map(({ id }) => id));
      return this.sitting.ids.filter((id) => !said.has(id));
    }

    offer() {
      this.offers = true;
      const now = Date.now();
      const cards = this.cards();
      const { wrong, right, fresh, next } = outlook(cards, now);
      const waiting = [
        wrong && `${wrong} that you had wrong`,
        right && `${right} that you had right some time ago`,
        fresh && `${fresh} that you have not answered yet`,
      ].filter(Boolean);
      const count = Math.min(SITTING, wrong + right + fresh);
      this.told.textContent = waiting.length
        ? `Waiting: ${waiting.join(", ")}.`
        : next === null
          ? "There is nothing to ask: the predictions that you locked in wait for their pages to tell."
          : `Nothing is due now. The next question is due ${inDays(next, now)}.`;
      this.place.replaceChildren(
        count
          ? el(
              "p",
              { class: "actions" },
              button(`Ask me ${plural(count, "question")}`, () => this.sit()),
            )
          : "",
      );
    }

    /** A sitting of those that wait. */
    sit() {
      const began = Date.now();
      const ids = choose(this.cards(), began);
      if (!ids.length) return this.offer();
      this.sitting = { began, ids };
      storage.write(this.key, this.sitting, this); // for when the page is loaded again
      this.ask(true);
    }

    /** The next question; `focus`: the reader pressed for it. */
    ask(focus = false) {
      this.offers = false;
      const left = this.left();
      if (!left.length) return this.account(true);
      const [id] = left;
      const of = this.sitting.ids.length;
      const number = of - left.length + 1;
      const question = { ...this.byId.get(id), number, of };
      const asked = el(
        "lab-asked",
        {},
        el("script", { type: "application/json" }, JSON.stringify(question)),
      );
      asked.goesOn = () => {
        const more = left.length - 1;
        return [
          button(more ? "Next question" : "How did it go?", () => this.ask(true)),
          more ? button("Stop here", () => this.account(true)) : "",
        ];
      };
      asked.keeps = (answer, sure) => {
        const right = isRight(question, answer);
        this.isKept = log.add([{ id, at: Date.now(), answer, sure, right }], this);
        this.told.textContent = `${right ? "Right" : "Not right"}. ${number} of ${of} asked.`;
      };
      this.told.textContent = "";
      this.place.replaceChildren(asked);
      asked.tabIndex = -1;
      if (focus) queueMicrotask(() => asked.focus()); // once it has its text
    }

    /** What became of the sitting. */
    account(focus = false) {
      this.offers = false;
      const said = this.said();
      const good = said.filter(({ right }) => right).length;
      const wrong = said.filter(({ right }) => !right).map(({ id }) => this.byId.get(id));
      this.told.textContent = said.length
        ? `${good} of ${said.length} right.`
        : "Nothing was asked.";
      const { wrong: again, right, fresh, next } = outlook(this.cards(), Date.now());
      const more = Math.min(SITTING, again + right + fresh);
      const when =
        next === null
          ? ""
          : ` The next of those that you answered is due ${inDays(next, Date.now())}.`;
      this.place.replaceChildren(
        wrong.length
          ? el(
              "div",
              {},
              el("p", {}, "To read again:"),
              el("ul", {}, ...wrong.map((question) => el("li", {}, linked(question)))),
            )
          : "",
        el("p", {}, `${this.isKept ? "What you said is kept in this browser." : ""}${when}`),
        el(
          "p",
          { class: "actions" },
          this.left().length ? button("Go on", () => this.ask(true)) : "",
          more ? button(`Ask me ${more} more`, () => this.sit()) : "",
        ),
        curve(log.read(), "h2"),
      );
      if (focus) this.told.focus();
    }
  }

  const linked = ({ url, title, section }) =>
    el("a", { href: url }, section ? `${title}: ${section}` : title);
  const readAgain = (question) =>
    el(
      "p",
      {},
      question.measured && !question.key ? "Measured on its page: " : "On its page: ",
      linked(question),
      ".",
    );

  customElements.define("lab-asked", Asked);
  customElements.define("lab-review", Review);
})();
