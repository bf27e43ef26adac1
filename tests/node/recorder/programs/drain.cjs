// Ticks, then microtasks, after every callback; equal delays in the order of their making.
setTimeout(() => {
  console.log("t1");
  process.nextTick(() => console.log("n1"));
  Promise.resolve().then(() => console.log("m1"));
}, 5);
setTimeout(() => {
  console.log("t2");
  setImmediate(() => {
    console.log("i1");
    process.nextTick(() => console.log("ni1"));
    Promise.resolve().then(() => console.log("mi1"));
  });
  setImmediate(() => {
    console.log("i2");
    setImmediate(() => console.log("i3"));
  });
}, 5);
