const end = Date.now() + 50;
let _n = 0;
(function spin() {
  _n++;
  if (Date.now() < end) process.nextTick(spin);
  else console.log("done");
})();
setTimeout(() => console.log("timer"), 1);
setImmediate(() => console.log("imm"));
