// From where is a tick asked for, from where a promise's callback, and which of the two runs first?
const ask = (from) => {
  const order = [];
  process.nextTick(() => order.push("tick"));
  Promise.resolve().then(() => order.push("promise"));
  setImmediate(() => console.log(JSON.stringify({ from, first: order[0] })));
};

ask("the program itself");
setTimeout(() => ask("a timer"));
setImmediate(() => ask("an immediate"));
process.nextTick(() => ask("a tick"));
queueMicrotask(() => ask("a microtask"));
Promise.resolve().then(() => ask("a promise's callback"));
