console.log("waits", globalThis.hops());
await null;
console.log("has waited", globalThis.hops());
