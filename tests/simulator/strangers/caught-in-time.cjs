process.on("unhandledRejection", () => console.log("unhandled"));
const promise = Promise.reject(new Error("in time"));
process.nextTick(() => promise.catch(() => console.log("caught in a tick")));
const second = Promise.reject(new Error("in time, too"));
Promise.resolve().then(() => second.catch(() => console.log("caught in a promise")));
