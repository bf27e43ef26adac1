const fs = require("node:fs");
setTimeout(() => {
  console.log("t5");
  process.nextTick(() => console.log("tick"));
  Promise.resolve().then(() => console.log("micro"));
}, 5);
setImmediate(() => console.log("imm"));
fs.readFile(__filename, () => {
  console.log("read");
  setImmediate(() => console.log("imm2"));
  setTimeout(() => console.log("t0"), 0);
});
async function f() {
  await null;
  console.log("await");
  setTimeout(() => console.log("t2"), 2);
}
f();
queueMicrotask(() => console.log("qm"));
require("node:dns").lookup("localhost", () => console.log("lookup"));
require("node:crypto").randomBytes(8, () => console.log("rb"));
const s = require("node:net")
  .createServer((c) => {
    c.end("hi");
  })
  .listen(0, "127.0.0.1", () => {
    require("node:net")
      .connect(s.address().port, "127.0.0.1")
      .on("data", (_d) => console.log("data"))
      .on("close", () => {
        console.log("close");
        s.close();
      });
  });
