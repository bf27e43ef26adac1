// A tick made in a microtask waits until the microtask queue is empty.
Promise.resolve()
  .then(() => {
    console.log("m1");
    process.nextTick(() => console.log("tick"));
  })
  .then(() => console.log("m2"));
queueMicrotask(() => console.log("qm"));
