// After how many microtasks Array.fromAsync is settled, and what it closes.
const count = async (name, make) => {
  let n = 0,
    done = false;
  const p = make();
  p.then(
    (v) => {
      done = true;
      console.log(name, n, Array.isArray(v) ? JSON.stringify(v) : "");
    },
    (e) => {
      done = true;
      console.log(name, "r", n, e?.message ?? e);
    },
  );
  for (; !done && n < 100; n++) await null;
  if (!done) console.log(name, "more");
};
async function* g() {
  yield 1;
  yield Promise.resolve(2);
}
if (Array.fromAsync) {
  await count("empty", () => Array.fromAsync([]));
  await count("one", () => Array.fromAsync([1]));
  await count("array", () => Array.fromAsync([1, Promise.resolve(2), 3]));
  await count("array map", () => Array.fromAsync([1, Promise.resolve(2), 3], (x) => x * 2));
  await count("array map async", () =>
    Array.fromAsync([1, Promise.resolve(2), 3], async (x) => x * 2),
  );
  await count("gen", () => Array.fromAsync(g()));
  await count("gen map", () => Array.fromAsync(g(), (x) => x));
  await count("gen map async", () => Array.fromAsync(g(), async (x) => x));
  await count("like", () => Array.fromAsync({ length: 2, 0: 1, 1: Promise.resolve(5) }));
  await count("like map", () => Array.fromAsync({ length: 2, 0: 1, 1: 2 }, (x) => x + 1));
  await count("like map async", () =>
    Array.fromAsync({ length: 2, 0: 1, 1: 2 }, async (x) => x + 1),
  );
  await count("like empty", () => Array.fromAsync({ length: 0 }));
  await count("reject", () => Array.fromAsync([1, Promise.reject(new Error("no"))]));
  await count("map throws", () =>
    Array.fromAsync([1], () => {
      throw new Error("m");
    }),
  );
  await count("gen map throws", () =>
    Array.fromAsync(g(), () => {
      throw new Error("m");
    }),
  );
  await count("gen map rejects", () =>
    Array.fromAsync(g(), async () => {
      throw new Error("m");
    }),
  );
  await count("null", () => Array.fromAsync(null));
  await count("bad mapper", () => Array.fromAsync([], 5));
  await count("set", () => Array.fromAsync(new Set([1, 2])));
  await count("string", () => Array.fromAsync("ab"));
  await count("sync with return", () =>
    Array.fromAsync(
      {
        [Symbol.iterator]: () => ({
          i: 0,
          next() {
            return { value: this.i++, done: this.i > 3 };
          },
          return() {
            console.log("ret");
            return {};
          },
        }),
      },
      (x) => {
        if (x) throw new Error("stop");
        return x;
      },
    ),
  );
}
async function* bad() {
  yield 1;
  throw new Error("bad");
}
await count("gen throws", () => Array.fromAsync(bad()));
const c = (next) => ({
  [Symbol.asyncIterator]: () => ({
    next,
    return: async () => {
      console.log("ret");
      return {};
    },
  }),
});
await count("next rejects", () => Array.fromAsync(c(() => Promise.reject(new Error("n")))));
await count("next throws", () =>
  Array.fromAsync(
    c(() => {
      throw new Error("n");
    }),
  ),
);
await count("next no object", () => Array.fromAsync(c(() => 5)));
const s = (next) => ({
  [Symbol.iterator]: () => ({
    next,
    return: () => {
      console.log("sret");
      return {};
    },
  }),
});
await count("sync rejects", () =>
  Array.fromAsync(s(() => ({ value: Promise.reject(new Error("v")), done: false }))),
);
await count("sync throws", () =>
  Array.fromAsync(
    s(() => {
      throw new Error("v");
    }),
  ),
);
await count("sync no object", () => Array.fromAsync(s(() => 4)));
await count("only reject", () => Array.fromAsync([Promise.reject(new Error("no"))]));
await count("map reject", () => Array.fromAsync([1], () => Promise.reject(new Error("no"))));
await count("like reject", () =>
  Array.fromAsync({ length: 1, 0: Promise.reject(new Error("no")) }),
);
await count("like map reject", () =>
  Array.fromAsync({ length: 1, 0: 1 }, async () => {
    throw new Error("no");
  }),
);
class L extends Array {}
console.log(
  (await L.fromAsync([1, 2])).constructor.name,
  (await Array.fromAsync.call(null, [3])).length,
  (await Array.fromAsync(5)).length,
);
