// ROWS books in SQLite, in the memory of the thread that asks for them, and the two queries that find the last one.
// The book uses it for node/shelf, on the loop; as a thread it answers each message with one query.
import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort } from "node:worker_threads";

const { QUERY = "row", ROWS = "200000" } = process.env;

export const shelf = () => {
  const db = new DatabaseSync(":memory:");
  db.exec(`CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${Number(ROWS)})
    INSERT INTO book SELECT i, 'The Art of Waiting, volume ' || (${Number(ROWS)} + 1 - i) FROM n`);
  return db;
};
const queries = {
  row: ["SELECT title FROM book WHERE id = ?", Number(ROWS)], // by its key
  scan: ["SELECT title FROM book WHERE title = ?", "The Art of Waiting, volume 1"], // reads all
};
export const [sql, wanted] = queries[QUERY];

if (!isMainThread) {
  const query = shelf().prepare(sql);
  parentPort.on("message", (value) => parentPort.postMessage(query.get(value)));
  parentPort.postMessage("ready");
}
