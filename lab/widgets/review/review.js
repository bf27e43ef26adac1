// <lab-review>: asks some questions of a part and of earlier parts again, and how sure the reader is. Its content is JSON
// (lab/book/pages/reviews.py). Without JavaScript the markup inside stays.

(() => {
  if (typeof customElements === "undefined" || customElements.get("lab-review")) return;
  const { el, button, storage } = LabDom;
  const { isRight } = LabQuestionModel;
  const { Element, Question, solution } = LabQuestion;
  const { LOG, log, onPage, standing, isJudgeable } = LabReview;
  const { choose, outlook, inDays, steps, percent, curve, SITTING } = LabReview;
  const STALE = 12 * 3_600_000; // ms; a sitting that began earlier does not continue

  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

  /** A question in a review. It asks for a confidence, shows the solution at once, and does not change the answer on the page. */
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
      const legend =
        kind === "number" && within > 1
          ? `How sure are you to be within a factor of ${LabNumbers.bare(within)}?`
          : "How sure are you to be right?";
      const levels = steps(this.data);
      const guess = kind === "choice" && levels[0] > 0.1 ? levels[0] : null; // the share of a blind guess, if the question has options
      const names = { [guess]: `${percent(guess)}, a guess`, 1: "100 %, certain" };
      return el(
        "fieldset",
        { class: "sure" },
        el("legend", {}, legend),
        ...levels.map((step) =>
          el(
            "label",
            {},
            el("input", {
              type: "radio",
              name: `${this.name}-sure`,
              value: step,
              form: `${this.name}-form`,
            }),
            el("span", {}, names[step] ?? percent(step)),
          ),
        ),
      );
    }

    take(answer) {
      const level = this.querySelector(".sure input:checked");
      if (!level) {
        this.querySelector(".message").textContent = "Also say how sure you are.";
        this.querySelector(".sure input").focus();
        return;
      }
      this.keeps(answer, Number(level.value));
      this.showAnswered(answer);
      this.querySelector(".given").focus();
    }

    showAnswered(answer) {
      this.answered = true;
      const panel = el("div", { class: "given", tabindex: -1 });
      panel.append(
        ...solution(this.data, answer, isRight(this.data, answer)),
        readAgain(this.data),
      );
      this.frame(panel, el("p", { class: "actions" }, ...this.goesOn()));
    }
  }

  class Review extends Element {
    start() {
      this.questions = this.data.chapters.flatMap(({ title, own, url, questions }, chapter) =>
        questions.filter(isJudgeable).map((question) => ({
          ...{ ...question, title, own: own === true, chapter },
          url: `${url}#${question.anchor ?? ""}${question.id}`,
        })),
      );
      this.byId = new Map(this.questions.map((question) => [question.id, question]));
      this.key = `${LOG}:${this.data.page}`;
      // The element stays, because a screen reader does not read out a new element that already has its text.
      this.told = el("p", { role: "status", class: "told", tabindex: -1 });
      this.place = el("div");
      this.replaceChildren(this.told, this.place);
      this.isKept = true;
      this.sitting = this.kept();
      if (!this.sitting || Date.now() - this.sitting.began > STALE) this.offer();
      else if (this.left().length) this.ask();
      else this.account();
    }

    /** Another tab has answered, so fewer questions may be due. A question that the reader sees stays. */
    follow() {
      if (this.offers) this.offer();
    }

    /** The cards that a review may ask, for schedule.js. */
    cards() {
      const reviews = log.read();
      const begunChapters = new Set(this.questions.filter(onPage).map(({ chapter }) => chapter));
      return this.questions
        .map((question) => ({
          ...question,
          ...standing(question, reviews),
          begun: begunChapters.has(question.chapter),
        }))
        .filter(({ waits }) => !waits);
    }

    /** { began, ids } of the last sitting, finished or not; null for none. */
    kept() {
      const record = storage.read(this.key);
      const ids = Array.isArray(record?.ids) ? record.ids.filter((id) => this.byId.has(id)) : [];
      return ids.length && Number.isFinite(record.began) ? { began: record.began, ids } : null;
    }

    /** The answers of the sitting. */
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
        wrong && `${wrong} that you got wrong`,
        right && `${right} that you got right some time ago`,
        fresh && `${fresh} that you have not answered yet`,
      ].filter(Boolean);
      const count = Math.min(SITTING, wrong + right + fresh);
      this.told.textContent = waiting.length
        ? `Waiting: ${waiting.join(", ")}.`
        : next === null
          ? "There is no question for you now. The predictions that you locked in wait for " +
            "the answers on their pages."
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

    /** Start a sitting of the questions that are due. */
    sit() {
      const began = Date.now();
      const ids = choose(this.cards(), began);
      if (!ids.length) return this.offer();
      this.sitting = { began, ids };
      storage.write(this.key, this.sitting, this); // so that the sitting continues after the page is loaded again
      this.ask(true);
    }

    /** Ask the next question. `focus`: the reader pressed a button for it. */
    ask(focus = false) {
      this.offers = false;
      const remaining = this.left();
      if (!remaining.length) return this.account(true);
      const [id] = remaining;
      const of = this.sitting.ids.length;
      const number = of - remaining.length + 1;
      const question = { ...this.byId.get(id), number, of };
      const card = el(
        "lab-asked",
        {},
        el("script", { type: "application/json" }, JSON.stringify(question)),
      );
      card.goesOn = () => {
        const more = remaining.length - 1;
        return [
          button(more ? "Next question" : "How did it go?", () => this.ask(true)),
          more ? button("Stop here", () => this.account(true)) : "",
        ];
      };
      card.keeps = (answer, sure) => {
        const right = isRight(question, answer);
        this.isKept = log.add([{ id, at: Date.now(), answer, sure, right }], this);
        this.told.textContent = `${right ? "Right" : "Not right"}. ${number} of ${of} asked.`;
      };
      this.told.textContent = "";
      this.place.replaceChildren(card);
      card.tabIndex = -1;
      if (focus) queueMicrotask(() => card.focus()); // when the card has its text
    }

    /** Show the result of the sitting. */
    account(focus = false) {
      this.offers = false;
      const reviews = this.said();
      const good = reviews.filter(({ right }) => right).length;
      const wrong = reviews.filter(({ right }) => !right).map(({ id }) => this.byId.get(id));
      this.told.textContent = reviews.length
        ? `${good} of ${reviews.length} right.`
        : "Nothing was asked.";
      const { wrong: again, right, fresh, next } = outlook(this.cards(), Date.now());
      const more = Math.min(SITTING, again + right + fresh);
      const when =
        next === null
          ? ""
          : ` The next question that you have answered is due ${inDays(next, Date.now())}.`;
      this.place.replaceChildren(
        wrong.length
          ? el(
              "div",
              {},
              el("p", {}, "To read again:"),
              el("ul", {}, ...wrong.map((question) => el("li", {}, linkTo(question)))),
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

  const linkTo = ({ url, title, section }) =>
    el("a", { href: url }, section ? `${title}: ${section}` : title);
  const readAgain = (question) =>
    el(
      "p",
      {},
      question.measured && !question.key ? "Measured on its page: " : "On its page: ",
      linkTo(question),
      ".",
    );

  customElements.define("lab-asked", Asked);
  customElements.define("lab-review", Review);
})();
