setImmediate(() => console.log("un")).unref();
setTimeout(() => console.log("t"), 50);
const i = setInterval(() => {
  console.log("i");
}, 5);
setTimeout(() => clearInterval(i), 30);
