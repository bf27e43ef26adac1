function first() {
  second();
}
function second() {
  third(options.depth, [1, 2].length);
}
const options = {
  depth: 3,
  method() {
    return lineOf(new Error("m"));
  },
  arrow: () => lineOf(new Error("a")),
};
const lineOf = (error) => error.stack.split("\n")[1];
const third = () => {
  throw new Error(`at a depth of ${options.depth}`);
};
class Kind {
  constructor(fails) {
    if (fails) first();
  }
  static called() {
    first();
  }
  method() {
    Kind.called();
  }
  get read() {
    return this.method();
  }
  field = () => this.method();
}
const show = (attempt) => {
  try {
    attempt();
  } catch (error) {
    console.log(error.stack.split("\n").slice(0, 7).join("\n"));
  }
};
show(() => new Kind().method());
show(() => new Kind().read);
show(() => new Kind().field());
show(() => new Kind(true));
show(() => [1].map(() => first()));
show(() => JSON.parse("[1,"));
show(function named() {
  (function inner() {
    first();
  })();
});
console.log(options.method(), options.arrow());
setTimeout(() => console.log(lineOf(new Error("t"))), 1);
setTimeout(function named() {
  console.log(lineOf(new Error("t")));
}, 1);
setImmediate(() => console.log(lineOf(new Error("i"))));
process.nextTick(() => console.log(lineOf(new Error("n"))));
queueMicrotask(() => console.log(lineOf(new Error("q"))));
function Own() {
  Error.captureStackTrace(this, Own);
}
console.log(lineOf(new Own()));
console.log(new Error("printed"));
console.log(structuredClone(new TypeError("copied")));
class OwnError extends Error {
  constructor(message) {
    super(`${message} ${options.depth}`);
    this.name = "OwnError";
  }
}
class InnerError extends OwnError {}
console.log(new OwnError(options.depth).stack);
console.log(new InnerError("inner"));
