import "./back.mjs";

console.log("round", globalThis.hops());
