console.log("sync");
process.nextTick(() => console.log("tick"));
Promise.resolve().then(() => console.log("micro"));
await null;
console.log("after await");
setTimeout(() => console.log("t"), 1);
