process.on("unhandledRejection", (reason) => console.log("unhandled", reason.message));
process.on("rejectionHandled", () => console.log("handled after all"));
const lost = Promise.reject(new Error("late"));
setTimeout(() => lost.catch(() => console.log("caught")), 10);
setImmediate(() => console.log("immediate"));
