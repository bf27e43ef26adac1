// As imported.mjs, in CommonJS, where the program has required some of them.
const fs = require("node:fs");
require("os");
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
(async () => {
  await count("required", () => import("fs"));
  await count("required", () => import("fs"));
  await count("os", () => import("node:os"));
  await count("expr", async () => {
    await import("node:" + "events");
  });
})();
