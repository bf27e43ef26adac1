setImmediate(() => console.log("this is setImmediate 1"));
setImmediate(() => {
  console.log("this is setImmediate 2");
  process.nextTick(() => console.log("this is process.nextTick"));
  Promise.resolve().then(() => console.log("this is Promise.resolve"));
});
setImmediate(() => console.log("this is setImmediate 3"));
