// Signs in the sidebar: of which pages this browser has answers, and which of these are due for a review. Pages load this file, and
// the list of questions before it (lab/book/pages/ticks.py), only if the browser has an answer.

(() => {
  const { stateOf } = LabReview;
  const LOG = "lab-review"; // as review/store.js keeps reviews
  const read = (key) => {
    try {
      return JSON.parse(LabStorage.local.getItem(key));
    } catch {
      return null;
    }
  };

  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  /** The answer to a question: { id, right, since }, or null. `right` is null until its page has told. */
  function answerOf(question) {
    const [key, id, orders] = Array.isArray(question)
      ? question
      : [question, question.replace("lab-question:", "")];
    const record = read(key);
    const first = record?.first ?? record?.answer ?? record?.order ?? null;
    if (first === null) return null;
    const right = orders ? orders.some((order) => same(order, first)) : (record.right ?? null);
    const since = [record.since, record.at].find(Number.isFinite) ?? 0; // as question.js has it
    return { id, right, since };
  }

  /** The sign of a page and its words, or null. `keys`: where a browser keeps the answers to its questions. */
  function signOf(keys, reviews, now) {
    const answers = keys.map(answerOf).filter(Boolean);
    const isDue = ({ id, right, since }) => {
      if (typeof right !== "boolean") return false; // its page has not told
      const later = reviews.filter((review) => review?.id === id && Number.isFinite(review.at));
      const events = [{ at: since, right, page: true }, ...later].sort((a, b) => a.at - b.at);
      return stateOf(events).due <= now;
    };
    const [count, all, due] = [answers.length, keys.length, answers.filter(isDue).length];
    if (count === 0) return null;
    const text = `${count} of ${all} questions answered`;
    if (due > 0) return ["↻", `${text}, ${due} due for review`];
    return count === all ? ["✓", text] : ["◐", text];
  }

  globalThis.LabTicks = { signOf };
  if (typeof document === "undefined") return;

  const root = new URL("..", document.currentScript.src);
  const draw = () => {
    const log = read(LOG)?.said;
    const reviews = Array.isArray(log) ? log : [];
    let isAny = false;
    for (const old of document.querySelectorAll(".lab-tick, .lab-ticks")) old.remove();
    for (const link of document.querySelectorAll(".bd-links li > a")) {
      const { pathname } = new URL(link.href, location.href);
      const page = pathname.slice(root.pathname.length).replace(/\.html$/, "");
      const keys = globalThis.LabPageQuestions?.[page];
      const sign = keys && pathname.startsWith(root.pathname) && signOf(keys, reviews, Date.now());
      if (!sign) continue;
      const tick = document.createElement("span");
      tick.className = "lab-tick";
      tick.setAttribute("role", "img");
      [tick.textContent, tick.title] = sign;
      tick.setAttribute("aria-label", `, ${sign[1]}`);
      link.append(tick);
      isAny = true;
    }
    if (!isAny) return;
    const legend = document.createElement("p");
    legend.className = "lab-ticks";
    legend.textContent = "✓ questions answered, ◐ some of them, ↻ due for review";
    document.querySelector(".bd-links")?.append(legend);
  };
  draw();
  document.addEventListener("lab-question", draw);
  addEventListener("storage", draw);
})();
