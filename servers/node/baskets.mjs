// A book shop: /advice says what to read next, /basket/N what N books cost, /ping that it is there. MENDED: which was mended.
// The book uses it to find the line that holds the loop: with LOOK_US a profiler inside it looks so often, and tells at /profile.
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";

const { PORT = "0", MENDED = "nothing", LOOK_US = "0" } = process.env;
const stock = Array.from({ length: 50_000 }, (_, i) => ({ id: (i * 7919) % 6007, cents: 800 }));
const marks = Float64Array.from({ length: 600_000 }, (_, i) => (i * 7919) % 100_003);
const MINE = 50_000; // advice is who gave the mark that is nearest to mine

// a profiler inside
const session = new Session();
if (LOOK_US > 0) {
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: Number(LOOK_US) });
  await session.post("Profiler.start");
}
const profile = async () => JSON.stringify((await session.post("Profiler.stop")).profile);

// what it does
function advice() {
  let best = 0;
  for (let i = 1; i < marks.length; i++)
    if (Math.abs(marks[i] - MINE) < Math.abs(marks[best] - MINE)) best = i;
  return `read what reader ${best} has read\n`;
}
function basket(size) {
  const books = stock.slice(0, size);
  let cents = 0;
  for (let i = 0; i < books.length; i++) {
    let copies = 0;
    for (let j = 0; j < i; j++) if (books[j].id === books[i].id) copies++;
    cents += copies > 0 ? books[i].cents / 2 : books[i].cents; // a second copy costs half
  }
  return `${cents} cents\n`;
}

// what was mended
const kept = () => (kept.said ??= advice()); // for all whose mark that is
const once = (size) => {
  const seen = new Set();
  const cost = ({ id, cents }) => (seen.size < seen.add(id).size ? cents : cents / 2);
  return `${stock.slice(0, size).reduce((sum, book) => sum + cost(book), 0)} cents\n`;
};
const mended = { nothing: {}, advice: { advice: kept }, basket: { basket: once } };
const ping = () => "here\n";
const ways = new Map(Object.entries({ ping, advice, basket, profile, ...mended[MENDED] }));
const server = createServer(async function answer({ url }, response) {
  const [, name, size] = url.split("/");
  response.end(await (ways.get(name) ?? ping)(size));
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
process.once("SIGTERM", () => process.exit(0));
