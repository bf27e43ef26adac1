process.on("exit", (code) => console.log("exit", code));
setTimeout(() => console.log("never"), 0);
process.nextTick(() => console.log("tick"));
throw new Error("at the top");
