const start = Date.now();
setTimeout(() => console.log("timeout 0"), 0);
setTimeout(() => console.log("timeout 100"), 100);
setImmediate(() => console.log("immediate"));
Promise.resolve().then(() => console.log("promise"));
while (Date.now() - start < 50) {}
console.log("blocked for", Date.now() - start >= 50);
