process.nextTick(() => {
  console.log("tick 1");
  process.nextTick(() => console.log("tick in tick"));
  Promise.resolve().then(() => {
    console.log("promise in tick");
    process.nextTick(() => console.log("tick in promise in tick"));
  });
});
process.nextTick(() => console.log("tick 2"));
Promise.resolve().then(() => {
  console.log("promise 1");
  process.nextTick(() => console.log("tick in promise"));
  queueMicrotask(() => console.log("micro in promise"));
});
