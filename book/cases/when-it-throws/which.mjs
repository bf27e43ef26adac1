// which.mjs: twenty requests at once, each of which fails in a function that was not told for whom it works. How many of the twenty
// failures carry the right number, by a variable of the module and by an AsyncLocalStorage; and what does an await cost in one?
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";

const store = new AsyncLocalStorage();
let current;
const said = [];

const deep = async (id) => {
  await wait(5);
  said.push({ id, variable: current, store: store.getStore() });
};
const handle = async (id) => {
  current = id;
  await store.run(id, deep, id);
};
await Promise.all(Array.from({ length: 20 }, (_, id) => handle(id)));
const right = (by) => said.filter((one) => one[by] === one.id).length;

const AWAITS = 50_000;
const asynchronous = async () => {};
const ns = async () => {
  const begun = performance.now();
  for (let i = 0; i < AWAITS; i++) await asynchronous();
  return ((performance.now() - begun) / AWAITS) * 1e6;
};
const fresh = new AsyncLocalStorage();
store.disable();
const without = [];
const within = [];
for (let i = 0; i < 7; i++) {
  without.push(await ns());
  within.push(await fresh.run({}, ns));
  fresh.disable(); // in Node 22 whoever has used one pays from then on
}
print({
  "by a variable": right("variable"),
  "by the store": right("store"),
  "await (ns)": Math.round(Math.min(...without)),
  "in a store (ns)": Math.round(Math.min(...within)),
});
