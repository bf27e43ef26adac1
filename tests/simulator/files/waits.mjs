import "./quick.mjs";

console.log("waits", import.meta.url.split("/").pop(), import.meta.main);
export let count = 0;
for (; count < 3; count++) await null;
await new Promise((resolve) => setImmediate(resolve));
console.log("has waited");
