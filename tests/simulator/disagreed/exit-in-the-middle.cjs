// The model runs `finally` after process.exit(), and must not print what it prints.
process.on("exit", (code) => console.log("exit", code));
Promise.resolve().then(() => console.log("never"));
process.nextTick(() => console.log("never"));
try {
  process.exit(3);
} finally {
  console.log("finally is never reached");
}
