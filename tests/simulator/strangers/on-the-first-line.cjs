function fail() {
  console.log(new Error("one").stack.split("\n")[1]);
  throw new TypeError("two");
}
setTimeout(() => fail(), 1);
process.on("uncaughtException", (error) => console.log(error.stack));
