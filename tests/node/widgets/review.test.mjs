// Reviews (lab/widgets/review): when a question comes back, how sure a reader was, and answers as a file. No page is needed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import "../../../lab/widgets/review/schedule.js";
import "../../../lab/widgets/review/calibration.js";
import "../../../lab/widgets/review/answers.js";

const { days, stateOf, choose, mixed, outlook, inDays, DAY, SITTING } = globalThis.LabReview;
const { wilson, points, calibration, steps, verdict, ENOUGH } = globalThis.LabReview;
const { logOf, together, mergeRecords, jsonFile, table, read, NoAnswers } = globalThis.LabReview;
const NOW = 1000 * DAY;

/** Answers on these days, a page's first if it is one. */
const answered = (...all) =>
  all.map(([day, right, page = false]) => ({ at: day * DAY, right, page }));
const state = (...all) => stateOf(answered(...all));
const due = (...all) => state(...all).due / DAY;

describe("a question comes back", () => {
  test("after 1, 3, 7 and 21 days, then after twice as long each time", () => {
    assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(days), [1, 3, 7, 21, 42, 84, 168]);
  });

  test("later with each right answer in a row, and soon after a wrong one", () => {
    assert.equal(due([10, true]), 11);
    assert.equal(due([10, true], [11, true]), 14);
    assert.equal(due([10, true], [11, true], [14, true]), 21);
    assert.equal(due([10, true], [11, true], [14, false]), 15);
    assert.equal(due([10, true], [11, false], [14, true]), 15); // the row began anew
  });

  test("in the next review if it was wrong on its page, and after a day if it was right there", () => {
    assert.equal(due([10, false, true]), 10);
    assert.equal(due([10, true, true]), 11);
    assert.equal(due([10, false, true], [10, false]), 11); // the review's own wrong one is not asked again at once
  });

  test("never, if it was never asked", () => assert.equal(stateOf([]), null));

  test("in words", () => {
    const said = [-1, 0, 0.3, 1, 1.2, 40].map((day) => inDays(NOW + day * DAY, NOW));
    assert.deepEqual(said, [
      "now",
      "now",
      "within a day",
      "within a day",
      "in 2 days",
      "in 40 days",
    ]);
  });
});

describe("a sitting", () => {
  const card = (id, more = {}) => ({
    id,
    chapter: id,
    own: true,
    begun: true,
    state: null,
    ...more,
  });
  const since = (day, right, page = false) => state([1000 - day, right, page]);
  const ids = (cards, count) => choose(cards, NOW, count);

  test("asks what was wrong, then what waited longest for its interval, then what is new", () => {
    const forty = stateOf(
      answered([900, true], [903, true], [910, true], [931, true], [956, true]),
    );
    const cards = [
      card("new"),
      card("right a day ago", { state: since(1, true) }),
      card("right a week ago", { state: since(7, true) }),
      card("after 44 days, of 42", { state: forty }),
      card("wrong two days ago", { state: since(2, false) }),
    ];
    assert.deepEqual(ids(cards), [
      "wrong two days ago",
      "right a week ago",
      "after 44 days, of 42",
      "right a day ago",
      "new",
    ]);
  });

  test("leaves out what is not due, and ends when nothing is left", () => {
    const cards = [card("a", { state: since(0.5, true) }), card("b", { state: since(0.5, false) })];
    assert.deepEqual(ids(cards), []);
    assert.deepEqual(outlook(cards, NOW), { wrong: 0, right: 0, fresh: 0, next: NOW + DAY / 2 });
  });

  test("takes new ones of pages that were begun first, then of its own part, then from memory", () => {
    const cards = [
      card("unread", { begun: false, memory: true }),
      card("earlier", { own: false }),
      card("earlier memory", { own: false, memory: true }),
      card("own"),
      card("own memory", { memory: true }),
    ];
    const order = ["own memory", "own", "earlier memory", "earlier", "unread"];
    assert.deepEqual(ids(cards), order);
    assert.deepEqual(ids(cards, 2), order.slice(0, 2));
  });

  test("is of eight questions at most, and mixes chapters", () => {
    const cards = Array.from({ length: 12 }, (_, i) =>
      card(String(i), { chapter: i < 6 ? "a" : "b" }),
    );
    const chosen = ids(cards);
    assert.equal(chosen.length, SITTING);
    assert.equal(SITTING, 8);
    const chapters = chosen.map((id) => cards[id].chapter);
    assert.deepEqual(chapters, ["a", "b", "a", "b", "a", "a", "a", "a"]);
    assert.deepEqual(mixed([]), []);
  });

  test("counts what waits", () => {
    const cards = [
      card("n"),
      card("w", { state: since(9, false) }),
      card("r", { state: since(9, true) }),
    ];
    assert.deepEqual(outlook(cards, NOW), { wrong: 1, right: 1, fresh: 1, next: null });
  });
});

describe("calibration", () => {
  // As scipy has them: binomtest(k, n).proportion_ci(method="wilson").
  const KNOWN = [
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [5, 10, 0.2366, 0.7634],
    [1, 3, 0.0615, 0.7923],
    [81, 100, 0.7222, 0.8749],
  ];
  test("has Wilson's interval, also of few and of all", () => {
    for (const [k, n, low, high] of KNOWN) {
      const rounded = wilson(k, n).map((x) => Number(x.toFixed(4)));
      assert.deepEqual(rounded, [low, high], `${k} of ${n}`);
    }
    assert.deepEqual(wilson(0, 0), [0, 1]);
  });

  test("counts each question once, the first time", () => {
    const said = [
      { id: "a", at: 2, sure: 1, right: true },
      { id: "a", at: 1, sure: 0.5, right: false },
      { id: "b", at: 3, sure: 0.9, right: true },
    ];
    assert.deepEqual(points(said), [
      { sure: 0.5, right: false },
      { sure: 0.9, right: true },
    ]);
  });

  test("puts what was said into bins, the certain into one of their own", () => {
    const said = [0.1, 0.25, 1 / 3, 0.5, 0.7, 0.9, 1, 1].map((sure, i) => ({
      sure,
      right: i % 2 === 0,
    }));
    const found = calibration(said);
    assert.deepEqual(
      found.bins.map(({ from, n, good }) => [from, n, good]),
      [
        [0, 1, 1],
        [0.2, 2, 1],
        [0.4, 1, 0],
        [0.6, 1, 1],
        [0.8, 1, 0],
        [1, 2, 1],
      ],
    );
    assert.equal(found.n, 8);
    assert.equal(calibration([]), null);
  });

  test("has the Brier score: 0 for the certain and right, 1 for the certain and wrong, 0.25 at 50 %", () => {
    const score = (...all) => calibration(all.map(([sure, right]) => ({ sure, right }))).brier;
    assert.equal(score([1, true], [1, true]), 0);
    assert.equal(score([1, false]), 1);
    assert.equal(score([0.5, true], [0.5, false]), 0.25);
    assert.ok(Math.abs(score([0.9, true], [0.7, false]) - (0.01 + 0.49) / 2) < 1e-12);
  });

  test("says what so few can tell, and no more", () => {
    const many = (n, sure, good) =>
      verdict(calibration(Array.from({ length: n }, (_, i) => ({ sure, right: i < good }))));
    assert.match(many(40, 0.9, 20), /90 % sure, and 20 of 40 were right: 50 % .*less often than/);
    assert.match(many(40, 0.5, 36), /more often than you thought/);
    assert.match(many(12, 0.7, 7), /\. Chance alone could explain that difference\.$/);
    const said = [0.1, 0.9].flatMap((sure) => Array(20).fill({ sure, right: sure < 0.5 }));
    assert.match(verdict(calibration(said)), /At 2 of 2 levels of confidence, it hardly could/);
    assert.equal(calibration(Array(ENOUGH - 1).fill({ sure: 1, right: true })).enough, false);
    assert.equal(calibration(Array(ENOUGH).fill({ sure: 1, right: true })).enough, true);
  });

  test("lets one say a blind guess: of two options 50 %, of four 25 %", () => {
    const of = (n, more) => steps({ kind: "choice", options: Array(n).fill({}), ...more });
    assert.deepEqual(of(2), [0.5, 0.7, 0.9, 1]);
    assert.deepEqual(of(4), [0.25, 0.5, 0.7, 0.9, 1]);
    assert.equal(of(3, { right: ["a", "b"] })[0], 0.1);
    assert.equal(steps({ kind: "number" })[0], 0.1);
  });
});

describe("answers as a file", () => {
  const page = (more = {}) => ({
    first: ["a"],
    answer: ["b"],
    right: true,
    since: 1e12,
    at: 2e12,
    ...more,
  });
  const said = { id: "q", at: 1.5e12, answer: 4, sure: 0.7, right: true };

  test("come back as they were written", () => {
    const text = jsonFile([{ id: "q", chapter: "x/y", kind: "choice", ...page() }], [said], 3e12);
    assert.match(text, /"first_at": "2001-09-09T01:46:40.000Z"/);
    const file = read(text);
    assert.deepEqual([...file.pages], [["q", page()]]);
    assert.deepEqual(file.said, [said]);
    assert.equal(file.left, 0);
  });

  test("have no time where none was kept", () => {
    const text = jsonFile([{ id: "q", ...page({ since: 0, at: 0 }) }], [], 3e12);
    assert.equal(read(text).pages.get("q").since, 0);
  });

  test("that are none are refused in a sentence", () => {
    const good = JSON.parse(jsonFile([], [], 3e12));
    for (const [text, why] of [
      ["nonsense", /not JSON/],
      ["", /not JSON/],
      ["null", /schema/],
      ["[]", /schema/],
      ['{"schema":"other"}', /schema/],
      [JSON.stringify({ ...good, version: 2 }), /version is 2, and this page reads 1/],
      [JSON.stringify({ ...good, version: undefined }), /version is undefined/],
      [JSON.stringify({ ...good, pages: {} }), /no lists/],
      [JSON.stringify({ ...good, reviews: Array(50_001).fill(0) }), /more than/],
    ])
      assert.throws(
        () => read(text),
        (error) => error instanceof NoAnswers && why.test(error.message),
      );
  });

  test("leave out what is no answer, and say how many", () => {
    const one = JSON.parse(jsonFile([{ id: "q", ...page() }], [said], 3e12));
    const bad = [
      ...[null, 5, {}, { ...one.pages[0], first: {} }, { ...one.pages[0], answer: [] }],
      { ...one.pages[0], first_at: "yesterday" },
      { ...one.pages[0], right: "yes" },
      { ...one.pages[0], first: ["x".repeat(300)] },
    ];
    const [review] = one.reviews;
    const strange = [
      null,
      { ...review, right: 1 },
      ...[2, null, "0.5", true].map((sure) => ({ ...review, sure })),
    ];
    const file = read(JSON.stringify({ ...one, pages: [...bad, ...one.pages], reviews: strange }));
    assert.deepEqual([...file.pages.keys()], ["q"]);
    assert.deepEqual(file.said, []);
    assert.equal(file.left, bad.length + strange.length);
  });

  test("of two browsers: the earlier first answer counts, and nothing is lost", () => {
    const [ours, theirs] = [
      page(),
      page({ first: ["c"], answer: ["d"], right: null, since: 9e11, at: 1e12 }),
    ];
    const both = { first: ["c"], answer: ["b"], right: null, since: 9e11, at: 2e12 };
    assert.deepEqual(mergeRecords(ours, theirs), both);
    assert.deepEqual(mergeRecords(theirs, ours), both);
    assert.deepEqual(mergeRecords(null, theirs), theirs);
    assert.deepEqual(mergeRecords(ours, undefined), ours);
    // The same first answer, which one of both was told of.
    assert.equal(mergeRecords(page({ right: null, since: 1 }), page()).right, true);
    assert.deepEqual(
      together([said], [said, { ...said, at: 5 }]).map(({ at }) => at),
      [5, 1.5e12],
    );
  });

  test("read from storage are what reviews have written, whatever else is there", () => {
    for (const kept of [null, 5, "x", {}, { said: 5 }, { said: [null, {}, [], { id: 5 }] }])
      assert.deepEqual(logOf(kept), []);
    assert.deepEqual(logOf({ said: [{ ...said, more: "thrown away" }] }), [said]);
    for (const answer of [4, ["a", "b"], [1, 2.5, -3]])
      assert.deepEqual(logOf({ said: [{ ...said, answer }] }), [{ ...said, answer }]); // of every kind
    for (const answer of ["x", [], [1, "a"], [null], [Number.NaN], { a: 1 }, true])
      assert.deepEqual(logOf({ said: [{ ...said, answer }] }), []);
  });

  test("as a table have a line each, and nothing that a spreadsheet would run", () => {
    const of = { id: "q", chapter: "x/y", kind: "order" };
    const rows = table(
      [{ ...of, ...page({ first: ["=1+1", 'say "x"'] }) }],
      [{ ...said, answer: -4 }],
    ).split("\r\n");
    assert.deepEqual(rows, [
      "where,id,chapter,kind,at,answer,sure,right",
      `page,q,x/y,order,2001-09-09T01:46:40.000Z,"'=1+1 | say ""x""",,true`,
      "review,q,x/y,order,2017-07-14T02:40:00.000Z,-4,0.7,true",
      "",
    ]);
  });
});
