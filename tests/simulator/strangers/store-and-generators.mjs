import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { EventEmitter } from "node:events";

const als = new AsyncLocalStorage();
const e = new EventEmitter();
e.on("x", () => console.log("listener", als.getStore()));
als.run("r1", () => {
  e.emit("x");
  setTimeout(() => e.emit("x"), 2);
});
const bound = als.run("b", () => AsyncResource.bind(() => console.log("bound", als.getStore())));
bound();
const snap = als.run("s", () => AsyncLocalStorage.snapshot());
console.log(
  snap(() => als.getStore()),
  als.getStore(),
);
await als.run("top", async () => {
  for await (const v of [1, 2]) console.log(v, als.getStore());
});
als.run("exit", () => {
  als.exit(() => console.log("exit", als.getStore()));
  console.log("back", als.getStore());
});
await 1;
console.log("end", als.getStore());
async function* g() {
  yield als.getStore();
  await 1;
  yield als.getStore();
}
await als.run("gen", async () => {
  for await (const x of g()) console.log(x);
});
als.run({ id: 1 }, () =>
  new Promise((_, j) => j(new Error("x"))).catch(() => console.log("caught", als.getStore())),
);
