// Imports of one module at the same time, and of one that the program imports itself.
import fs from "node:fs";
import { join } from "path";

const count = async (name, make) => {
  let n = 0,
    done = false;
  const p = make();
  p.then(
    (v) => {
      done = true;
      console.log(name, n);
    },
    (e) => {
      done = true;
      console.log(name, "r", n, e?.message ?? e);
    },
  );
  for (; !done && n < 200; n++) await null;
};
await count("static", () => import("fs"));
await count("static2", () => import("node:path"));
await count("two same", () => Promise.all([import("node:os"), import("node:os")]));
let t = 0;
const at = (l) => console.log(l, t);
import("node:util").then(() => at("a"));
import("util").then(() => at("b"));
(async () => {
  await null;
  await null;
  await import("node:util");
  at("c");
})();
(async () => {
  for (let i = 0; i < 9; i++) await null;
  await import("node:util");
  at("d");
})();
(async () => {
  for (; t < 30; t++) await null;
})();
await new Promise((r) => setTimeout(r, 5));
