// A shelf of ROWS books in SQLite, in this process: QUERY, TIMES after each other, on the loop or in a thread (HOW).
// The book uses it for a database that is no server: what its queries do to all who ask for something else.
import { once } from "node:events";
import { createServer } from "node:http";
import { Worker } from "node:worker_threads";
import { shelf, sql, wanted } from "./shelf-books.mjs";

const { PORT = "0", HOW = "loop", TIMES = "1" } = process.env;

const onTheLoop = () => {
  const query = shelf().prepare(sql);
  return () => query.get(wanted);
};
const preparedEachTime = () => {
  const db = shelf();
  return () => db.prepare(sql).get(wanted);
};
const inThread = async () => {
  const thread = new Worker(new URL("./shelf-books.mjs", import.meta.url));
  await once(thread, "message"); // its shelf is full
  const waiting = []; // it answers in the order in which it was asked
  thread.on("message", (row) => waiting.shift()(row));
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      thread.postMessage(wanted);
    });
};
// end of the ways

const find = await { loop: onTheLoop, prepare: preparedEachTime, thread: inThread }[HOW]();
const server = createServer(async (request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  if (request.url === "/ping") return response.end("pong\n");
  let book;
  for (let i = 0; i < Number(TIMES); i++) {
    const answer = find();
    book = HOW === "thread" ? await answer : answer;
  }
  response.end(`${book.title}\n`);
});

server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
