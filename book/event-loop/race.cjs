// A timer of 0 ms against an immediate. BUSY_MS: how long the program computes before the loop may begin.
const { BUSY_MS = "0" } = process.env;
let first;
performance.now(); // its first call is slow
setTimeout(() => {
  first ??= "timer";
});
const asked = performance.now();
setImmediate(() => {
  first ??= "immediate";
});
while (performance.now() < asked + Number(BUSY_MS));
process.on("exit", () => {
  const untilLoopMs = performance.nodeTiming.loopStart - asked;
  console.log(JSON.stringify({ first, untilLoopMs }));
});
