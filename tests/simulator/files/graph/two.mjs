import "./one.mjs";
import "node:fs";

console.log("two", globalThis.hops());
