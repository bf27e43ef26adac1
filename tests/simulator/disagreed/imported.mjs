// After how many microtasks import() of a module of Node's is settled.
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
  if (!done) console.log(name, "more");
};
const main = async () => {
  for (const name of [
    "node:fs",
    "node:fs",
    "fs",
    "node:path",
    "node:events",
    "os",
    "node:fs/promises",
  ])
    await count(name, () => import(name));
  await count("two", () => Promise.all([import("node:util"), import("node:assert")]));
  await count("literal", () => import("node:stream"));
  setTimeout(async () => {
    await count("timer", () => import("node:path/posix"));
    await count("timer again", () => import("node:path/posix"));
    setImmediate(async () => {
      await count("imm", () => import("node:string_decoder"));
      import("node:string_decoder").then(() => console.log("url"));
      setImmediate(() => console.log("i"));
      process.nextTick(() => console.log("tick"));
      Promise.resolve().then(() => console.log("m"));
    });
  }, 1);
};
await main();
