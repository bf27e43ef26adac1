const { setTimeout: timer } = require("node:timers/promises");

const compute = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

setImmediate(() => console.log("the loop has turned"));

const computes = async () => {
  compute(20);
  console.log("computes: done");
};

const awaitsFirst = async () => {
  await null;
  compute(20);
  console.log("awaits first: done");
};

const waits = async () => {
  await timer(100);
  console.log("waits: done");
};

waits();
console.log("waits() has returned");
awaitsFirst();
console.log("awaitsFirst() has returned");
computes();
console.log("computes() has returned");
