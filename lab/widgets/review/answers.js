// The answers of a reader as a file: writing, reading, and merging with the answers that a browser has. This file needs no page.
// book/about/data.md explains the fields.

(() => {
  const SCHEMA = "nodejs-io-measured/answers";
  const VERSION = 1;
  const LONGEST = 200; // characters of an id
  const LONGEST_LINE = 2000; // characters of a name or a line in an answer; a printed line may be empty
  const MOST = 50_000; // answers of a file

  const isTime = (at) => Number.isFinite(at) && at >= 0 && at < 8.64e15; // the last time that a Date can have
  const isText = (text) => typeof text === "string" && text.length > 0 && text.length <= LONGEST;
  const isLine = (text) => typeof text === "string" && text.length <= LONGEST_LINE;
  const isAnswer = (answer) =>
    Number.isFinite(answer) ||
    (Array.isArray(answer) &&
      answer.length > 0 &&
      answer.length < 100 &&
      (answer.every(isLine) || answer.every(Number.isFinite))); // names or lines, or the numbers of a curve
  const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  /** The answers in reviews, the oldest first. Entries that are not answers are left out. */
  function logOf(record) {
    const entries = Array.isArray(record?.said) ? record.said : [];
    return entries
      .filter(
        (entry) =>
          isText(entry?.id) &&
          isTime(entry.at) &&
          isAnswer(entry.answer) &&
          typeof entry.right === "boolean" &&
          Number.isFinite(entry.sure) &&
          entry.sure >= 0 &&
          entry.sure <= 1,
      )
      .map(({ id, at, answer, sure, right }) => ({ id, at, answer, sure, right }))
      .sort((a, b) => a.at - b.at);
  }

  /** The entries of both lists, without duplicates. */
  function together(ours, theirs) {
    const all = [...ours];
    for (const entry of theirs)
      if (!all.some((other) => other.id === entry.id && other.at === entry.at)) all.push(entry);
    return all.sort((a, b) => a.at - b.at);
  }

  /** Merge the records that two browsers have of one question: the earlier first answer and the later last answer. Null is none. */
  function mergeRecords(ours, theirs) {
    if (!ours || !theirs) return ours ?? theirs ?? null;
    // If neither record has a time, the record of this browser counts as the earlier one.
    const [early, other] = theirs.since < ours.since ? [theirs, ours] : [ours, theirs];
    const late = theirs.at > ours.at ? theirs : ours;
    const right = early.right ?? (alike(early.first, other.first) ? other.right : null);
    return { answer: late.answer, first: early.first, right, at: late.at, since: early.since };
  }

  /** The text of the JSON file. `pages`: { id, chapter, kind, first, answer, right, since, at }. The file has dates for times. */
  function jsonFile(pages, reviews, now) {
    const date = (at) => (at && isTime(at) ? new Date(at).toISOString() : null);
    const file = {
      schema: SCHEMA,
      version: VERSION,
      exported: date(now),
      pages: pages.map(({ id, chapter, kind, first, answer, right, since, at }) => ({
        ...{ id, chapter, kind, first, answer, right },
        ...{ first_at: date(since), answer_at: date(at) },
      })),
      reviews: reviews.map(({ at, ...review }) => ({ ...review, at: date(at) })),
    };
    return `${JSON.stringify(file, null, 1)}\n`;
  }

  const COLUMNS = ["where", "id", "chapter", "kind", "at", "answer", "sure", "right"];

  /** The text of the CSV file, one line for each answer. A page has one line, with its first answer. */
  function table(pages, reviews) {
    const about = new Map(pages.map((page) => [page.id, page]));
    const date = (at) => (at && isTime(at) ? new Date(at).toISOString() : "");
    const rows = [
      ...pages.map((page) => ({
        ...page,
        where: "page",
        at: date(page.since),
        answer: page.first,
      })),
      ...reviews.map((review) => ({
        ...about.get(review.id),
        ...review,
        where: "review",
        at: date(review.at),
      })),
    ];
    const cells = rows.map((row) => COLUMNS.map((name) => cell(row[name])));
    return [COLUMNS, ...cells].map((row) => `${row.join(",")}\r\n`).join("");
  }

  function cell(value) {
    const plain = Array.isArray(value) ? value.join(" | ") : String(value ?? "");
    // A spreadsheet would run a text with such a beginning as a formula.
    const text = typeof value !== "number" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  class NoAnswers extends Error {}

  /** { pages: Map of records by id, said: reviews, left: number of invalid entries }. Throws NoAnswers, which says what is wrong. */
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
    for (const entry of file.pages) {
      const { id, first, answer, right } = entry ?? {};
      const [since, at] = [time(entry?.first_at), time(entry?.answer_at)];
      const isJudgement = right === null || typeof right === "boolean";
      if (
        isText(id) &&
        isAnswer(first) &&
        isAnswer(answer) &&
        isJudgement &&
        isTime(since) &&
        isTime(at)
      )
        pages.set(id, mergeRecords(pages.get(id), { answer, first, right, at, since }));
    }
    const reviews = file.reviews.map((review) => ({ ...review, at: time(review?.at) }));
    const said = logOf({ said: reviews });
    const left = file.pages.length - pages.size + file.reviews.length - said.length;
    return { pages, said, left };
  }

  Object.assign(globalThis.LabReview, {
    logOf,
    together,
    mergeRecords,
    jsonFile,
    table,
    read,
    NoAnswers,
  });
})();
