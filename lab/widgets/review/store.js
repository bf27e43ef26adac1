// What a reader has answered, as this browser keeps it: on pages, in replays, and in reviews.

(() => {
  if (typeof document === "undefined") return;
  const { storage } = LabDom;
  const { fits, counted, sinceOf, isRight } = LabQuestionModel;
  const { store } = LabQuestion;
  const { logOf, stateOf, together } = LabReview;
  const LOG = "lab-review"; // { version, said }; a sitting is kept under the same and its page
  const KINDS = ["choice", "number", "order", "curve"];

  let held = null; // what the browser did not keep lives as long as the page
  const log = {
    read: () => together(logOf(storage.read(LOG)), held ?? []),
    /** Put more of them in; another tab may have done so, too. Returns whether the browser keeps them. */
    add(said, component) {
      if (!said.length) return true;
      const all = together(log.read(), said);
      held = storage.write(LOG, { version: 1, said: all }, component) ? null : all;
      tell();
      return held === null;
    },
    /** Take away all of them, and every sitting. */
    forget() {
      held = null;
      for (const key of storage.keys(LOG)) storage.set(key, null);
    },
  };
  const tell = () => document.dispatchEvent(new CustomEvent("lab-question", { detail: null }));
  addEventListener("storage", ({ key }) => key?.startsWith(LOG) && tell());

  /** Whether a question of that kind can be judged here; of others it is known only that they were answered. */
  const known = ({ kind }) => KINDS.includes(kind);

  /** What was answered on its page, or in its replay: { first, answer, right, since, at }; right is null until the page has
   * told it. Null for none.
   */
  function onPage(question) {
    if (question.key) {
      const kept = storage.read(question.key);
      const [first, answer] = [kept?.first ?? kept?.order, kept?.order ?? kept?.first];
      if (!fits(question, first) || !fits(question, answer)) return null;
      const since = Number.isFinite(kept.at) ? kept.at : 0;
      return { first, answer, right: isRight(question, first), since, at: since };
    }
    const kept = store.read(question.id);
    if (!known(question)) return kept?.answer === undefined ? null : { since: sinceOf(kept) };
    const first = counted(question, kept);
    if (first === null) return null;
    // Told once, and judged by what is right now: another run may have decided otherwise since.
    const right = typeof kept.right === "boolean" ? (isRight(question, first) ?? kept.right) : null;
    const answer = fits(question, kept.answer) ? kept.answer : first;
    const since = sinceOf(kept);
    return { first, answer, right, since, at: Number.isFinite(kept.at) ? kept.at : since };
  }

  /** What was said of a question in reviews; what no longer fits it was said of an earlier wording. */
  const reviewed = (question, said) =>
    said.filter(
      ({ id, answer }) => id === question.id && known(question) && fits(question, answer),
    );

  /** Keep what a file says of a question on its page, and tell nobody yet; returns whether it is kept. */
  function keep(question, { first, answer, right, since, at }) {
    if (question.key)
      return storage.write(question.key, { order: answer, first, at: since || undefined });
    return store.keep(question.id, { answer, first, right, at, since });
  }

  /** Where a question stands for reviews: see schedule.js; `waits`: it is locked in, and its page has not told yet. */
  function standing(question, said) {
    const page = onPage(question);
    if (page && page.right === null) return { state: null, waits: true };
    const history = page ? [{ at: page.since, right: page.right, page: true }] : [];
    const all = [...history, ...reviewed(question, said)].sort((a, b) => a.at - b.at);
    return { state: stateOf(all), waits: false };
  }

  Object.assign(LabReview, { LOG, log, known, onPage, keep, reviewed, standing, tell });
})();
