process.on("uncaughtException", (error) => console.log("caught", error.message));
process.nextTick(() => console.log("tick"));
Promise.resolve().then(() => console.log("promise"));
setTimeout(() => console.log("timer"), 5);
throw new Error("main");
