// One query after the other that reads so many rows: on the loop, and in a thread that is asked by message. How long is the
// loop busy for each, how long does an answer take, how often does the loop turn for it? The least of nine
// rounds, as other programs can only make it more.
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { print } from "../../streams/shared/asking.mjs";

const SIZES = [1, 10, 100, 1_000, 10_000, 100_000];
const ROUNDS = 9;

const shelf = () => {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE book (id INTEGER PRIMARY KEY, pages INTEGER);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${SIZES.at(-1)})
    INSERT INTO book SELECT i, 100 + i * 7919 % 900 FROM n`);
  return db.prepare("SELECT max(pages) AS most FROM book WHERE id <= ?");
};

/** What `times` queries of that size cost, for each. */
const round = async (find, rows, times) => {
  await turn();
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  const [since, before] = [performance.now(), performance.eventLoopUtilization()];
  for (let i = 0; i < times; i++) await find(rows);
  const { active } = performance.eventLoopUtilization(before);
  const turns = performance.nodeTiming.uvMetricsInfo.loopCount - loopCount;
  const us = (1000 * (performance.now() - since)) / times;
  return { us, busy: (1000 * active) / times, turns: turns / times };
};

const measure = async (where, find) => {
  for (const rows of SIZES) {
    const times = Math.max(2, Math.round(30_000 / (rows + 10)));
    await round(find, rows, times); // warm
    const rounds = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await round(find, rows, times));
    const least = (name) => Math.min(...rounds.map((costs) => costs[name]));
    print({
      where,
      "rows read": rows,
      "loop busy (µs)": least("busy"),
      "an answer (µs)": least("us"),
      turns: Math.round(10 * least("turns")) / 10,
    });
  }
};

if (isMainThread) {
  const book = shelf();
  await measure("on the loop", (rows) => book.get(rows));
  const thread = new Worker(new URL(import.meta.url));
  await once(thread, "message");
  let answered;
  thread.on("message", (row) => answered(row));
  await measure(
    "in a thread",
    (rows) =>
      new Promise((resolve) => {
        answered = resolve;
        thread.postMessage(rows);
      }),
  );
  await thread.terminate();
} else {
  const book = shelf();
  parentPort.on("message", (rows) => parentPort.postMessage(book.get(rows)));
  parentPort.postMessage("ready");
}
