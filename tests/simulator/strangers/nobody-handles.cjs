process.on("exit", (code) => console.log("exit", code));
Promise.reject(new Error("lost"));
setTimeout(() => console.log("never"), 0);
process.nextTick(() => console.log("tick"));
Promise.resolve().then(() => console.log("micro"));
