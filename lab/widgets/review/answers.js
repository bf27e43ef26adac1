// What a reader has answered, as a file: written, read and put together with what a browser has already. Without a page.
// Its fields are explained in book/about/data.md.

(() => {
  const SCHEMA = "nodejs-io-measured/answers";
  const VERSION = 1;
  const LONGEST = 200; // characters of an id
  const LONGEST_LINE = 2000; // of a name or a line in an answer; a program may print an empty one
  const MOST = 50_000; // answers of a file

  const isTime = (at) => Number.isFinite(at) && at >= 0 && at < 8.64e15; // as far as dates go
  const isText = (text) => typeof text === "string" && text.length > 0 && text.length <= LONGEST;
  const isLine = (text) => typeof text === "string" && text.length <= LONGEST_LINE;
  const isAnswer = (answer) =>
    Number.isFinite(answer) ||
    (Array.isArray(answer) &&
      answer.length > 0 &&
      answer.length < 100 &&
      (answer.every(isLine) || answer.every(Number.isFinite))); // names, lines; a curve's numbers
  const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  /** What was said in reviews, the oldest first; what is no such thing is left out. */
  function logOf(kept) {
    const said = Array.isArray(kept?.said) ? kept.said : [];
    return said
      .filter(
        (one) =>
          isText(one?.id) &&
          isTime(one.at) &&
          isAnswer(one.answer) &&
          typeof one.right === "boolean" &&
          Number.isFinite(one.sure) &&
          one.sure >= 0 &&
          one.sure <= 1,
      )
      .map(({ id, at, answer, sure, right }) => ({ id, at, answer, sure, right }))
      .sort((a, b) => a.at - b.at);
  }

  /** Both, each once. */
  function together(ours, theirs) {
    const all = [...ours];
    for (const one of theirs)
      if (!all.some((other) => other.id === one.id && other.at === one.at)) all.push(one);
    return all.sort((a, b) => a.at - b.at);
  }

  /** One question's record of two browsers: the earlier first answer counts, the later answer is the last. Null is none. */
  function merged(ours, theirs) {
    if (!ours || !theirs) return ours ?? theirs ?? null;
    // Of two that nobody knows the time of, the one that is here.
    const [early, other] = theirs.since < ours.since ? [theirs, ours] : [ours, theirs];
    const late = theirs.at > ours.at ? theirs : ours;
    const right = early.right ?? (alike(early.first, other.first) ? other.right : null);
    return { answer: late.answer, first: early.first, right, at: late.at, since: early.since };
  }

  /** The file, of `pages`: { id, chapter, kind, first, answer, right, since, at } and of `said`. Times are written as dates. */
  function written(pages, said, now) {
    const date = (at) => (at && isTime(at) ? new Date(at).toISOString() : null);
    const file = {
      schema: SCHEMA,
      version: VERSION,
      exported: date(now),
      pages: pages.map(({ id, chapter, kind, first, answer, right, since, at }) => ({
        ...{ id, chapter, kind, first, answer, right },
        ...{ first_at: date(since), answer_at: date(at) },
      })),
      reviews: said.map(({ at, ...one }) => ({ ...one, at: date(at) })),
    };
    return `${JSON.stringify(file, null, 1)}\n`;
  }

  const COLUMNS = ["where", "id", "chapter", "kind", "at", "answer", "sure", "right"];

  /** The same for a spreadsheet, a line an answer: of pages the first one. */
  function table(pages, said) {
    const about = new Map(pages.map((one) => [one.id, one]));
    const date = (at) => (at && isTime(at) ? new Date(at).toISOString() : "");
    const rows = [
      ...pages.map((one) => ({ ...one, where: "page", at: date(one.since), answer: one.first })),
      ...said.map((one) => ({ ...about.get(one.id), ...one, where: "review", at: date(one.at) })),
    ];
    const cells = rows.map((row) => COLUMNS.map((name) => cell(row[name])));
    return [COLUMNS, ...cells].map((row) => `${row.join(",")}\r\n`).join("");
  }

  function cell(value) {
    const plain = Array.isArray(value) ? value.join(" | ") : String(value ?? "");
    // A spreadsheet takes what begins like this for a formula.
    const text = typeof value !== "number" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  class NoAnswers extends Error {}

  /** { pages: Map of records by id, said, left: how many entries were none }. Throws NoAnswers, which says what is wrong. */
  function read(text) {
    let file;
    try {
      file = JSON.parse(text);
    } catch {
      throw new NoAnswers("it is not JSON");
    }
    if (file?.schema !== SCHEMA)
      throw new NoAnswers(`its schema is not ${SCHEMA}, so it holds no answers of this book`);
    if (file.version !== VERSION)
      throw new NoAnswers(
        `its version is ${JSON.stringify(file.version)?.slice(0, 20)}, and this page reads ${VERSION}`,
      );
    if (!Array.isArray(file.pages) || !Array.isArray(file.reviews))
      throw new NoAnswers("it has no lists of pages and reviews");
    if (file.pages.length + file.reviews.length > MOST)
      throw new NoAnswers(`it has more than ${MOST} answers`);
    const time = (date) => (date === null ? 0 : Date.parse(date));
    const pages = new Map();
    for (const one of file.pages) {
      const { id, first, answer, right } = one ?? {};
      const [since, at] = [time(one?.first_at), time(one?.answer_at)];
      const told = right === null || typeof right === "boolean";
      if (isText(id) && isAnswer(first) && isAnswer(answer) && told && isTime(since) && isTime(at))
        pages.set(id, merged(pages.get(id), { answer, first, right, at, since }));
    }
    const reviews = file.reviews.map((one) => ({ ...one, at: time(one?.at) }));
    const said = logOf({ said: reviews });
    const left = file.pages.length - pages.size + file.reviews.length - said.length;
    return { pages, said, left };
  }

  Object.assign(globalThis.LabReview, { logOf, together, merged, written, table, read, NoAnswers });
})();
