// After how many microtasks a generator that delegates goes on, is ended, or fails.
const count = async (name, make) => {
  let n = 0,
    done = false;
  const p = make();
  p.then(
    () => {
      done = true;
      console.log(name, n);
    },
    (e) => {
      done = true;
      console.log(name, "r", n, e?.message ?? e);
    },
  );
  for (; !done && n < 60; n++) await null;
};
async function* inner() {
  try {
    yield 1;
    yield 2;
  } finally {
    console.log("inner closed");
  }
}
async function* slow() {
  try {
    yield 1;
    yield 2;
    return 7;
  } finally {
    await null;
  }
}
async function* outer() {
  return yield* inner();
}
async function* outer2() {
  const v = yield* slow();
  console.log("v", v);
  yield 9;
}
async function* arr() {
  yield* [1, Promise.resolve(2), 3];
}
async function* nested() {
  yield* outer();
}
const it = async (g, n = 1) => {
  const i = g();
  for (; n; n--) await i.next();
  return i;
};
for (const [name, g] of Object.entries({ outer, outer2, arr, nested })) {
  let i = await it(g);
  await count(`${name}.return`, () => i.return(5));
  i = await it(g);
  await count(`${name}.return p`, () => i.return(Promise.resolve(5)));
  i = await it(g);
  await count(`${name}.throw`, () => i.throw(new Error("t")));
  i = g();
  await count(`${name}.next`, () => i.next());
  await count(`${name}.next2`, () => i.next());
  await count(`${name}.next3`, () => i.next());
  await count(`${name}.next4`, () => i.next());
  await count(`${name} all`, async () => {
    for await (const x of g());
  });
  await count(`${name} break`, async () => {
    for await (const x of g()) break;
  });
  i = g();
  await count(`${name}.start return`, () => i.return(3));
}
const custom = (more) => ({
  [Symbol.asyncIterator]: () => ({
    next: (v) => {
      console.log("next", v);
      return Promise.resolve({ value: 1, done: false });
    },
    ...more,
  }),
});
async function* del(c) {
  const r = yield* c;
  console.log("got", r);
}
const cases = {
  none: {},
  ret: {
    return: (v) => {
      console.log("ret", v);
      return Promise.resolve({ value: v, done: true });
    },
  },
  retNotDone: { return: (v) => Promise.resolve({ value: 4, done: false }) },
  retSync: { return: () => ({ value: 2, done: true }) },
  retThrows: {
    return: () => {
      throw new Error("x");
    },
  },
  retRejects: { return: () => Promise.reject(new Error("y")) },
  retNonObject: { return: () => 5 },
  retPromiseValue: { return: () => ({ value: Promise.resolve(3), done: true }) },
};
for (const [name, more] of Object.entries(cases)) {
  let i = del(custom(more));
  await i.next();
  await count(`del ${name}.return`, () => i.return(5));
  await count(`del ${name}.then next`, () => i.next(6));
  i = del(custom(more));
  await i.next();
  await count(`del ${name}.throw`, () => i.throw(new Error("z")));
}
const other = () => ({
  [Symbol.asyncIterator]: () => ({
    next: (v) => {
      console.log("next", v);
      return Promise.resolve({ value: 1, done: false });
    },
    return: (v) => {
      console.log("ret", v);
      return Promise.resolve({ value: v, done: true });
    },
  }),
});
async function* ended() {
  try {
    yield* other();
  } finally {
    console.log("fin");
  }
}
const j = ended();
await j.next();
const p = j.return(Promise.resolve(3));
console.log("called");
let n = 0;
p.then((v) => console.log("done", v));
for (; n < 6; n++) {
  await null;
  console.log(n);
}
