// What a module throws at its top is told once; a promise with the same reason, too.
process.on("uncaughtException", (error, origin) => console.log(error.message, origin));
setTimeout(() => console.log("timer"), 0);
const error = new Error("at the top");
Promise.reject(error);
throw error;
