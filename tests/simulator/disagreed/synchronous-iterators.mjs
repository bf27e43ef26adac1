// A synchronous iterator that fails is closed since Node 24.
const s = (next) => ({
  [Symbol.iterator]: () => ({
    next,
    return: () => {
      console.log("sret");
      return {};
    },
  }),
});
for (const next of [
  () => {
    throw new Error("v");
  },
  () => 4,
  () => ({
    get done() {
      throw new Error("d");
    },
  }),
  () => ({ value: Promise.reject(new Error("r")) }),
  () => ({
    get value() {
      throw new Error("g");
    },
  }),
])
  try {
    for await (const x of s(next));
  } catch (e) {
    console.log(e.message);
  }
async function* g(next) {
  yield* s(next);
}
for (const next of [
  () => {
    throw new Error("v");
  },
  () => 4,
  () => ({
    get done() {
      throw new Error("d");
    },
  }),
  () => ({ value: Promise.reject(new Error("r")) }),
  () => ({
    get value() {
      throw new Error("g");
    },
  }),
])
  try {
    for await (const x of g(next));
  } catch (e) {
    console.log(e.message);
  }
