// When a question comes back, and which questions a sitting asks. This file needs no page. book/predictions.md explains the rule.

(() => {
  const DAY = 86_400_000; // ms
  const FIRST = [1, 3, 7, 21]; // days until a question comes back, after 1, 2, 3, 4 right answers in a row; each further one doubles them
  const SITTING = 8; // questions

  /** Days until a question comes back, after so many right answers in a row. A wrong answer counts as the first right one. */
  function days(row) {
    const i = Math.max(row, 1) - 1;
    return i < FIRST.length ? FIRST[i] : FIRST.at(-1) * 2 ** (i - FIRST.length + 1);
  }

  /** The state of a question. `history`: { at, right, page }, the oldest answer first; page: the answer was given on its page, not
   * in a review. Null if the question was never answered. A wrong answer on the page brings the question into the next review.
   */
  function stateOf(history) {
    const last = history.at(-1);
    if (!last) return null;
    let row = 0;
    while (row < history.length && history.at(-1 - row).right) row += 1;
    const wait = last.page && !last.right ? 0 : days(row) * DAY;
    return { wrong: !last.right, row, at: last.at, due: last.at + wait };
  }

  /** The class of a card; lower classes are asked first. Null: the card is not due. */
  function rank({ state, own, memory, begun }, now) {
    if (!state) return 2 + (begun ? 0 : 4) + (own ? 0 : 2) + (memory ? 0 : 1);
    if (state.due > now) return null;
    return state.wrong ? 0 : 1;
  }

  /** For how many of its own intervals a card has waited. A day late is much after one day, and little after forty. */
  const overdue = ({ at, due }, now) => (now - at) / Math.max(due - at, DAY);

  /** The ids that a sitting asks now: wrong ones first, then those that waited longest, then new ones. Chapters are mixed.
   * `cards`: { id, chapter, own, memory, begun, state }, in the order of the book.
   */
  function choose(cards, now, count = SITTING) {
    const candidates = cards
      .map((card, i) => ({ card, i, rank: rank(card, now) }))
      .filter((candidate) => candidate.rank !== null);
    const waited = ({ card: { state } }) => (state ? overdue(state, now) : 0);
    candidates.sort((a, b) => a.rank - b.rank || waited(b) - waited(a) || a.i - b.i);
    return mixed(candidates.slice(0, count).map(({ card }) => card)).map(({ id }) => id);
  }

  /** The cards in their order, except that neighbours come from different chapters as long as possible. */
  function mixed(cards) {
    const left = [...cards];
    const out = [];
    while (left.length) {
      const other = left.findIndex(({ chapter }) => chapter !== out.at(-1)?.chapter);
      out.push(...left.splice(Math.max(other, 0), 1));
    }
    return out;
  }

  /** How many wrong, right and new cards are due now, and when the next other card is due (null for none). */
  function outlook(cards, now) {
    const counts = { wrong: 0, right: 0, fresh: 0, next: null };
    for (const { state } of cards) {
      if (!state) counts.fresh += 1;
      else if (state.due <= now) counts[state.wrong ? "wrong" : "right"] += 1;
      else counts.next = Math.min(counts.next ?? Number.POSITIVE_INFINITY, state.due);
    }
    return counts;
  }

  /** "tomorrow", "in 3 days" */
  function inDays(due, now) {
    const n = Math.ceil((due - now) / DAY);
    return n <= 0 ? "now" : n === 1 ? "within a day" : `in ${n} days`;
  }

  globalThis.LabReview ??= {}; // ticks.js has this file, too
  Object.assign(globalThis.LabReview, {
    days,
    stateOf,
    choose,
    mixed,
    outlook,
    inDays,
    DAY,
    SITTING,
  });
})();
