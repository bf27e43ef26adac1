import "./leaf.mjs";

console.log("one", globalThis.hops());
