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

  /** The sign of a page and its words, or null. `keys`: where a browser keeps the answers to its questions. */
  function signOf(keys, reviews, now) {
    const records = keys.map((key) => [key.replace("lab-question:", ""), read(key)]);
    const answers = records.filter(
      ([, record]) => (record?.answer ?? record?.order ?? null) !== null,
    );
    const isDue = ([id, { right, since = 0 }]) => {
      if (typeof right !== "boolean") return false; // its page has not told, or a review cannot ask it
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
      const keys = LabPageQuestions[page];
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
