setImmediate(() => {
  console.log("first turn");
  setImmediate(() => {
    console.log("second turn");
    setImmediate(() => console.log("third turn"));
  });
  process.nextTick(() => console.log("tick of the first turn"));
});
setImmediate(() => console.log("first turn, too"));
