const sab = new Int32Array(new SharedArrayBuffer(4));
setTimeout(() => console.log("t5"), 5);
setImmediate(() => console.log("imm"));
const r = Atomics.wait(sab, 0, 0, 50);
console.log(r, Atomics.add(sab, 0, 5), Atomics.load(sab, 0));
