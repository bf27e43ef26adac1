const fs = require("node:fs"),
  cp = require("node:child_process"),
  os = require("node:os"),
  path = require("node:path"),
  _net = require("node:net");
const K = 4,
  dir = fs.mkdtempSync(path.join(os.tmpdir(), "gate"));
for (let i = 0; i < K; i++) {
  const f = path.join(dir, `f${i}`);
  cp.execFileSync("mkfifo", [f]);
  fs.readFile(f, () => console.log("fifo"));
}
fs.stat(__filename, () => console.log("stat"));
require("node:dns").lookup("localhost", () => console.log("lookup"));
setTimeout(() => console.log("timer"), 20);
setTimeout(() => {
  for (let i = 0; i < K; i++)
    fs.writeFileSync(path.join(dir, `f${i}`), "x", {
      flag: fs.constants.O_WRONLY | fs.constants.O_NONBLOCK,
    });
  setTimeout(() => {
    fs.rmSync(dir, { recursive: true });
    process.exit();
  }, 100);
}, 200);
