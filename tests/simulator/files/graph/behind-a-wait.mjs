import "./waits.mjs";

console.log("behind", globalThis.hops());
await null;
