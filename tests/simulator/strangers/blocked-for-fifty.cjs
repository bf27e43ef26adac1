const start = Date.now();
setTimeout(() => console.log("timeout of 10"), 10);
setTimeout(() => console.log("timeout of 30"), 30);
setImmediate(() => console.log("immediate"));
while (Date.now() - start < 50);
console.log("blocked");
