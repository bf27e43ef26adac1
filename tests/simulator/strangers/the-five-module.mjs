console.log("1. script start");
setTimeout(() => console.log("2. timeout"), 0);
setImmediate(() => console.log("3. immediate"));
process.nextTick(() => console.log("4. nextTick"));
Promise.resolve().then(() => console.log("5. promise"));
console.log("6. script end");
