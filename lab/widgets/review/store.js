// The answers of a reader that this browser keeps: those on pages, in replays, and in reviews.

(() => {
  if (typeof document === "undefined") return;
  const { storage } = LabDom;
  const { fits, counted: firstAnswer, sinceOf, isRight } = LabQuestionModel;
  const { store } = LabQuestion;
  const { logOf, stateOf, together } = LabReview;
  const LOG = "lab-review"; // { version, said }; the key of a sitting adds its page
  const KINDS = ["choice", "number", "order", "curve"];

  let inMemory = null; // answers that the browser did not store; they live as long as the page
  const log = {
    read: () => together(logOf(storage.read(LOG)), inMemory ?? []),
    /** Add reviews to those in the storage, where another tab may have added some. Returns whether the browser keeps them. */
    add(reviews, component) {
      if (!reviews.length) return true;
      const all = together(log.read(), reviews);
      inMemory = storage.write(LOG, { version: 1, said: all }, component) ? null : all;
      tell();
      return inMemory === null;
    },
    /** Remove all reviews and all sittings. */
    forget() {
      inMemory = null;
      for (const key of storage.keys(LOG)) storage.set(key, null);
    },
  };
  const tell = () => document.dispatchEvent(new CustomEvent("lab-question", { detail: null }));
  addEventListener("storage", ({ key }) => key?.startsWith(LOG) && tell());

  /** Whether this page can judge a question of that kind. For other kinds the browser only knows that they were answered. */
  const isJudgeable = ({ kind }) => KINDS.includes(kind);

  /** The answer on the page of a question, or in its replay: { first, answer, right, since, at }. `right` is null until the page
   * has shown the solution. Null if there is no answer.
   */
  function onPage(question) {
    if (question.key) {
      const record = storage.read(question.key);
      const [first, answer] = [record?.first ?? record?.order, record?.order ?? record?.first];
      if (!fits(question, first) || !fits(question, answer)) return null;
      const since = Number.isFinite(record.at) ? record.at : 0;
      return { first, answer, right: isRight(question, first), since, at: since };
    }
    const record = store.read(question.id);
    if (!isJudgeable(question))
      return record?.answer === undefined ? null : { since: sinceOf(record) };
    const first = firstAnswer(question, record);
    if (first === null) return null;
    // Once the page has shown the solution, the present solution judges the answer. A later run may have decided differently.
    const right =
      typeof record.right === "boolean" ? (isRight(question, first) ?? record.right) : null;
    const answer = fits(question, record.answer) ? record.answer : first;
    const since = sinceOf(record);
    return { first, answer, right, since, at: Number.isFinite(record.at) ? record.at : since };
  }

  /** The answers to a question in reviews. An answer that does not fit belongs to an earlier wording and is left out. */
  const reviewsOf = (question, reviews) =>
    reviews.filter(
      ({ id, answer }) => id === question.id && isJudgeable(question) && fits(question, answer),
    );

  /** Keep the answer of a file to a question, without an event. Returns whether the browser keeps it. */
  function keep(question, { first, answer, right, since, at }) {
    if (question.key)
      return storage.write(question.key, { order: answer, first, at: since || undefined });
    return store.keep(question.id, { answer, first, right, at, since });
  }

  /** The state of a question for reviews (see schedule.js). `waits`: the answer is locked in, and its page has not shown the solution. */
  function standing(question, reviews) {
    const page = onPage(question);
    if (page && page.right === null) return { state: null, waits: true };
    const history = page ? [{ at: page.since, right: page.right, page: true }] : [];
    const events = [...history, ...reviewsOf(question, reviews)].sort((a, b) => a.at - b.at);
    return { state: stateOf(events), waits: false };
  }

  Object.assign(LabReview, { LOG, log, isJudgeable, onPage, keep, reviewsOf, standing, tell });
})();
