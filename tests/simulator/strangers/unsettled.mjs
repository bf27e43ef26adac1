process.on("exit", (code) => console.log("exit", code));
console.log("before");
await new Promise(() => {});
console.log("never");
