import fsp from "node:fs/promises";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const later = new Promise((r) => setImmediate(r));
Promise.resolve().then(() => console.log("then"));
await later;
console.log("later");
const _t = await fsp.readFile("/etc/hostname", "utf8");
console.log("read");
await sleep(3);
const q = process.nextTick;
q(() => console.log("alias tick"));
queueMicrotask(() => console.log("qm"));
const s = http.createServer((_req, res) => {
  res.end("x");
});
s.listen(0, "127.0.0.1", async () => {
  const r = await fetch(`http://127.0.0.1:${s.address().port}`);
  console.log(await r.text());
  s.close();
});
