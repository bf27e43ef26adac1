// After how many microtasks each construct is settled: where the engine differs from V8, orders do.
const count = async (name, make) => {
  let n = 0,
    done = false;
  const p = make();
  p.then(
    () => {
      done = true;
      console.log(name, n);
    },
    () => {
      done = true;
      console.log(name, "r", n);
    },
  );
  for (; !done && n < 30; n++) await null;
};
async function* g() {
  try {
    yield 1;
    yield 2;
  } finally {
  }
}
async function* plain() {
  yield 1;
  yield 2;
}
async function* ret() {
  yield 1;
  return 5;
}
async function* retp() {
  yield 1;
  return Promise.resolve(5);
}
async function* yp() {
  yield Promise.resolve(1);
}
async function* fin() {
  try {
    yield 1;
  } finally {
    await null;
  }
}
await count("start.return", () => g().return(1));
await count("start.return p", () => g().return(Promise.resolve(1)));
let it = plain();
await it.next();
await count("yield.return", () => it.return(1));
await count("completed.return", () => it.return(1));
it = plain();
await it.next();
await count("yield.return p", () => it.return(Promise.resolve(1)));
it = plain();
await it.next();
await count("yield.return rejected", () => it.return(Promise.reject(1)));
it = g();
await it.next();
await count("yield.return finally", () => it.return(1));
it = fin();
await it.next();
await count("yield.return finally await", () => it.return(1));
it = plain();
await it.next();
await count("yield.throw", () => it.throw(1));
await count("completed.throw", () => it.throw(1));
await count("completed.next", () => it.next(1));
it = plain();
await count("first next", () => it.next());
await count("second next", () => it.next());
await count("last next", () => it.next());
it = ret();
await it.next();
await count("return 5", () => it.next());
it = retp();
await it.next();
await count("return p", () => it.next());
it = yp();
await count("yield p", () => it.next());
await it.next();
await count("for await break", async () => {
  for await (const x of plain()) break;
});
await count("for await all", async () => {
  for await (const x of plain());
});
await count("for await array", async () => {
  for await (const x of [1, Promise.resolve(2)]);
});
await count("for await array break", async () => {
  for await (const x of [1, Promise.resolve(2)]) break;
});
await count("for await throw", async () => {
  for await (const x of plain()) throw 1;
});
await count("for await return", async () => {
  for await (const x of plain()) return 1;
});
await count("await thenable", async () => {
  await {
    then(r) {
      r(1);
    },
  };
});
await count("return promise", async () => Promise.resolve(1));
await count("resolve promise", () => new Promise((r) => r(Promise.resolve(1))));
await count("await promise", async () => {
  await Promise.resolve(1);
});
await count("all", () => Promise.all([1, Promise.resolve(2)]));
await count("race", () => Promise.race([1, Promise.resolve(2)]));
await count("any", () => Promise.any([Promise.reject(1), Promise.resolve(2)]));
await count("allSettled", () => Promise.allSettled([Promise.reject(1), Promise.resolve(2)]));
await count("finally", () => Promise.resolve(1).finally(() => {}));
await count("finally p", () => Promise.resolve(1).finally(() => Promise.resolve(2)));
await count("finally throws", () =>
  Promise.resolve(1).finally(() => {
    throw 1;
  }),
);
await count("withResolvers", () => {
  const { promise, resolve } = Promise.withResolvers();
  resolve(1);
  return promise;
});
await count("Promise.try", () => (Promise.try ? Promise.try(() => 1) : Promise.resolve(1)));
await count("destructuring", async () => {
  const [a, b] = await Promise.all([1, 2]);
});
class T extends Promise {}
await count("subclass", () => T.resolve(1).then(() => 2));
await count("await subclass", async () => {
  await T.resolve(1);
});
const sync = {
  [Symbol.iterator]: () => ({
    next: () => ({ value: 1, done: false }),
    return: () => {
      console.log("sync return");
      return { value: 7, done: true };
    },
  }),
};
await count("sync with return, break", async () => {
  for await (const x of sync) break;
});
await count("sync with return, throw", async () => {
  for await (const x of sync) throw 1;
});
await count("array of rejected", async () => {
  for await (const x of [Promise.reject(1)]);
});
await count("sync of rejected", async () => {
  for await (const x of {
    [Symbol.iterator]: () => ({
      next: () => ({ value: Promise.reject(1), done: false }),
      return: () => {
        console.log("closed");
        return { value: 7, done: true };
      },
    }),
  });
});
await count("labels", async () => {
  outer: for await (const x of plain()) {
    for await (const y of plain()) {
      if (y === 2) continue outer;
    }
  }
});
await count("labels break", async () => {
  outer: for await (const x of plain()) {
    for await (const y of plain()) {
      break outer;
    }
  }
});
await count("return rejects, break", async () => {
  for await (const x of {
    [Symbol.asyncIterator]: () => ({
      next: () => ({ value: 1, done: false }),
      return: () => Promise.reject(new Error("r")),
    }),
  })
    break;
});
await count("return rejects, throw", async () => {
  try {
    for await (const x of {
      [Symbol.asyncIterator]: () => ({
        next: () => ({ value: 1, done: false }),
        return: () => Promise.reject(new Error("r")),
      }),
    })
      throw new Error("t");
  } catch (e) {
    console.log(e.message);
  }
});
await count("no return, break", async () => {
  for await (const x of {
    [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 1, done: false }) }),
  })
    break;
});
await count("next throws", async () => {
  for await (const x of {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        throw 1;
      },
    }),
  })
    break;
});
await count("finally in generator", async () => {
  async function* f() {
    try {
      yield 1;
    } finally {
      await null;
      console.log("f");
    }
  }
  for await (const x of f()) break;
});
await count("next throw in generator", async () => {
  async function* f() {
    yield 1;
    throw 2;
  }
  for await (const x of f());
});
await count("not iterable", async () => {
  for await (const x of 5);
});
await count("null", async () => {
  for await (const x of null);
});
await count("return value", async () => {
  const v = await (async () => {
    for await (const x of plain()) return x;
  })();
  console.log(v);
});
