// slow-disk-server. Puts files and links in the place of the pipes by which the check holds up a disk, so that nothing waits.
import fs from "node:fs";
import http from "node:http";

const kinds = [
  (path) => fs.writeFileSync(path, "not a pipe"),
  (path) => fs.symlinkSync("/proc/self/mem", path),
  (path) => fs.symlinkSync("/exercise/check.mjs", path),
  (path) => fs.mkdirSync(path),
  (path) => fs.symlinkSync("/dev/tty", path),
];
let next = 0;
const replaced = new Set();
const swap = (path) => {
  try {
    if (replaced.has(path) || !fs.lstatSync(path).isFIFO()) return;
    fs.unlinkSync(path);
    kinds[next++ % kinds.length](path);
    replaced.add(path);
  } catch {
    // it has just gone
  }
};
setInterval(() => {
  for (const name of fs.readdirSync("/own")) swap(`/own/${name}`);
}, 1);
const server = http.createServer((_, response) => response.end("nothing"));
server.listen(process.env.PORT, "127.0.0.1", () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
