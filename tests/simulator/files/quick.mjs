console.log("quick");
Promise.resolve()
  .then(() => console.log("promise of quick"))
  .then(() => console.log("second promise of quick"));
process.nextTick(() => console.log("tick of quick"));
