import { AsyncLocalStorage } from "node:async_hooks";

const store = new AsyncLocalStorage();
async function* inner() {
  console.log("i1", store.getStore());
  yield 1;
  console.log("i2", store.getStore());
  await null;
  yield 2;
  console.log("i3", store.getStore());
}
async function* outer() {
  console.log("o1", store.getStore());
  yield* inner();
  console.log("o2", store.getStore());
  yield* [7, 8];
  console.log("o3", store.getStore());
}
store.run("a", async () => {
  for await (const x of outer()) console.log(x, store.getStore());
  console.log("end", store.getStore());
});
store.run("b", async () => {
  for await (const x of outer()) {
    console.log(x, store.getStore());
    if (x === 2) break;
  }
  console.log("end", store.getStore());
});
store.run("c", async () => {
  console.log(await Array.fromAsync(outer(), (x) => [x, store.getStore()]));
  console.log("end", store.getStore());
  console.log(await Array.fromAsync([1, 2], (x) => [x, store.getStore()]));
  console.log("end", store.getStore());
});
store.run("d", async () => {
  const m = await import("node:path");
  console.log(typeof m.join, store.getStore());
  import("node:os").then(() => console.log("os", store.getStore()));
});
async function* closed() {
  try {
    yield 1;
    yield 2;
  } finally {
    console.log("fin", store.getStore());
  }
}
store.run("b", async () => {
  for await (const x of closed()) {
    console.log(x, store.getStore());
    if (x === 1) break;
  }
  console.log("end", store.getStore());
});
