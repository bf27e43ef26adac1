import "./round.mjs";

console.log("back", globalThis.hops());
