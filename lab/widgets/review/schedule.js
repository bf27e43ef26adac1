// When a question comes back, and which ones a sitting asks: without a page. The rule is explained in book/predictions.md.

(() => {
  const DAY = 86_400_000; // ms
  const FIRST = [1, 3, 7, 21]; // days until it comes back, after 1, 2, 3, 4 right answers in a row; then each doubles the last
  const SITTING = 8; // questions

  /** Days until a question comes back, after so many right answers in a row; after a wrong one as after the first. */
  function days(row) {
    const i = Math.max(row, 1) - 1;
    return i < FIRST.length ? FIRST[i] : FIRST.at(-1) * 2 ** (i - FIRST.length + 1);
  }

  /** Where a question stands. `history`: { at, right, page }, the oldest first; page: answered on its page, not in a review.
   * Null if it was never answered. What was wrong on its page comes in the next review, whenever that is.
   */
  function stateOf(history) {
    const last = history.at(-1);
    if (!last) return null;
    let row = 0;
    while (row < history.length && history.at(-1 - row).right) row += 1;
    const wait = last.page && !last.right ? 0 : days(row) * DAY;
    return { wrong: !last.right, row, at: last.at, due: last.at + wait };
  }

  /** The class of a card, the first asked first; null: not now. */
  function rank({ state, own, memory, begun }, now) {
    if (!state) return 2 + (begun ? 0 : 4) + (own ? 0 : 2) + (memory ? 0 : 1);
    if (state.due > now) return null;
    return state.wrong ? 0 : 1;
  }

  /** How many times its own interval a card has waited: a day too long is much after one day, and little after forty. */
  const overdue = ({ at, due }, now) => (now - at) / Math.max(due - at, DAY);

  /** What a sitting asks now, as ids: wrong ones first, then those that waited longest, then new ones. Chapters are mixed.
   * `cards`: { id, chapter, own, memory, begun, state }, in the order of the book.
   */
  function choose(cards, now, count = SITTING) {
    const ranked = cards
      .map((card, i) => ({ card, i, rank: rank(card, now) }))
      .filter((one) => one.rank !== null);
    const waited = ({ card: { state } }) => (state ? overdue(state, now) : 0);
    ranked.sort((a, b) => a.rank - b.rank || waited(b) - waited(a) || a.i - b.i);
    return mixed(ranked.slice(0, count).map(({ card }) => card)).map(({ id }) => id);
  }

  /** As they are, but neighbours from different chapters while there are any. */
  function mixed(cards) {
    const left = [...cards];
    const out = [];
    while (left.length) {
      const other = left.findIndex(({ chapter }) => chapter !== out.at(-1)?.chapter);
      out.push(...left.splice(Math.max(other, 0), 1));
    }
    return out;
  }

  /** How many cards wait now: wrong, right and new ones; and when the next of the others is due, null for none. */
  function outlook(cards, now) {
    const found = { wrong: 0, right: 0, fresh: 0, next: null };
    for (const { state } of cards) {
      if (!state) found.fresh += 1;
      else if (state.due <= now) found[state.wrong ? "wrong" : "right"] += 1;
      else found.next = Math.min(found.next ?? Number.POSITIVE_INFINITY, state.due);
    }
    return found;
  }

  /** "tomorrow", "in 3 days" */
  function inDays(due, now) {
    const n = Math.ceil((due - now) / DAY);
    return n <= 0 ? "now" : n === 1 ? "within a day" : `in ${n} days`;
  }

  globalThis.LabReview = { days, stateOf, choose, mixed, outlook, inDays, DAY, SITTING };
})();
