// A timer of 0 ms against an immediate. BUSY_MS: how long the program computes before the loop may begin.
const { BUSY_MS = "0" } = process.env;
let first;
performance.now(); // its first call is slow
const before = performance.now();
setTimeout(() => {
  first ??= "timer";
});
const after = performance.now();
setImmediate(() => {
  first ??= "immediate";
});
while (performance.now() < after + Number(BUSY_MS));
process.on("exit", () => {
  const { loopStart } = performance.nodeTiming;
  const least = loopStart - after;
  const most = loopStart - before;
  console.log(JSON.stringify({ first, least, most }));
});
