import { late } from "./follows.mjs";

export const first = 1;
setImmediate(() => late());
console.log(import.meta.url.split("/").slice(-2).join());
