// How many microtasks it takes to leave a loop of an async generator: by break, by return, from outside.
const { Readable } = require("node:stream");

function* numbers() {
  try {
    yield 1;
    yield 2;
    yield 3;
  } finally {
  }
}
async function* awaited() {
  yield* [1, 2, 3];
}
const bare = () => ({
  [Symbol.iterator]() {
    let n = 0;
    return { next: () => ({ value: ++n, done: n > 3 }), return: () => ({}) };
  },
});
const bareAsync = () => ({
  [Symbol.asyncIterator]() {
    let n = 0;
    return { next: () => ({ value: ++n, done: n > 3 }), return: () => ({}) };
  },
});
const broken = () => ({
  [Symbol.iterator]() {
    return { next: () => ({ value: 2, done: false }), return: () => 5 };
  },
});

const lists = { numbers, awaited, bare, bareAsync, array: () => [1, 2, 3] };
const ways = {
  return: async function* (list) {
    for await (const n of list) {
      if (n > 1) return;
      yield n;
    }
  },
  "return of a value": async function* (list) {
    for await (const n of list) {
      if (n > 1) return n;
      yield n;
    }
  },
  break: async function* (list) {
    for await (const n of list) {
      if (n > 1) break;
      yield n;
    }
  },
  "return, nested": async function* (list) {
    for await (const n of list)
      for await (const m of list) {
        if (m > 1) return;
        yield n;
      }
  },
  "for of": async function* (list) {
    for (const n of list) {
      if (n > 1) return;
      yield n;
    }
  },
  "for of, break to a label": async function* (list) {
    outer: for (const n of list)
      for (const m of list) {
        if (m > 1) continue outer;
        if (n > 2) break outer;
        yield n;
      }
  },
  "for of, in a try": async function* (list) {
    try {
      for (const n of list) yield n;
    } finally {
      await null;
    }
  },
};

async function hops(call) {
  let isDone = false;
  call().then(
    () => {
      isDone = true;
    },
    (error) => {
      console.log(error.message);
      isDone = true;
    },
  );
  let count = 0;
  for (; !isDone && count < 100; count++) await null;
  return count;
}

(async () => {
  for (const [way, loop] of Object.entries(ways))
    for (const [name, make] of Object.entries(lists)) {
      if (way.startsWith("for of") && !make()[Symbol.iterator]) continue;
      const all = async () => {
        for await (const _ of loop(make()));
      };
      const first = async () => {
        for await (const _ of loop(make())) break;
      };
      console.log(way, name, await hops(all), await hops(first));
    }
  console.log(
    await hops(async () => {
      for await (const _ of ways["for of"](broken()));
    }),
  );
  for (const method of ["some", "every", "find"])
    console.log(method, await hops(() => Readable.from([1, 2, 3])[method]((n) => n > 1)));
})();
