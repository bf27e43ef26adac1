// A promise is rejected, and somebody catches it a turn later.
process.on("unhandledRejection", () => console.log("nobody caught it"));
process.on("rejectionHandled", () => console.log("now somebody did"));

const failed = Promise.reject(new Error("no"));
setImmediate(() => {
  failed.catch(() => console.log("caught"));
  console.log("a turn later");
});
process.nextTick(() => console.log("tick"));
Promise.resolve().then(() => console.log("microtask"));
console.log("end of the text");
