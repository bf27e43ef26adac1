// What a module throws goes to the process in a promise, before the ticks that it has left.
process.on("exit", (code) => console.log("exit", code));
setTimeout(() => console.log("never"), 0);
process.nextTick(() => console.log("tick"));
throw new Error("at the top");
