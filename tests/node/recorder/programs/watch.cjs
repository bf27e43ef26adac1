const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "watch-"));
const file = path.join(folder, "file");
const watcher = fs.watch(folder, () => {
  console.log("watch");
  watcher.close();
});
fs.watchFile(file, { interval: 5 }, () => {
  console.log("watchFile");
  fs.unwatchFile(file);
});
setTimeout(() => fs.writeFileSync(file, "x"), 30);
process.on("exit", () => fs.rmSync(folder, { recursive: true }));
