// many-readers.mjs RATE N...: N clients read the server's answer at RATE MiB a second each, for each N in turn.
// Prints what the server's processes hold meanwhile, every 25 ms, and how long each client waited for its first byte.
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { address, median, print } from "../shared/asking.mjs";
import { MIB, residentMib, scale, tree } from "../shared/watching.mjs";

const [rate, ...counts] = process.argv.slice(2).map(Number);
const pids = tree(Number(process.env.SERVER_PID));
const REQUEST = "GET / HTTP/1.1\r\nhost: me\r\nconnection: close\r\n\r\n";

const reader = () =>
  new Promise((resolve, reject) => {
    const socket = connect(address());
    const began = performance.now();
    let [first_ms, read] = [0, 0];
    socket.write(REQUEST);
    socket.on("data", (chunk) => {
      first_ms ||= performance.now() - began;
      read += chunk.length / MIB;
      const ahead = (read / rate) * scale * 1000 - (performance.now() - began);
      if (ahead < 2) return;
      socket.pause();
      setTimeout(() => socket.resume(), ahead);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ first_ms, read }));
  });

await Promise.all([reader(), reader()]); // the first answers of a fresh process are slow
const before = residentMib(pids);
const [looks, done] = [[], []];
for (const clients of counts) {
  const began = performance.now();
  const look = () => {
    const t_s = (performance.now() - began) / 1000;
    looks.push({ kind: "look", clients, t_s, rss: residentMib(pids) });
  };
  const timer = setInterval(look, 25);
  const all = await Promise.all(Array.from({ length: clients }, reader));
  clearInterval(timer);
  look();
  const read = all.reduce((sum, one) => sum + one.read, 0);
  done.push({ kind: "done", clients, read, first_ms: median(all.map((one) => one.first_ms)) });
}
// Before the first look there may be garbage in the process: it counts from the least it was ever seen to need.
const base = Math.min(before, ...looks.map(({ rss }) => rss));
for (const { rss, ...look } of looks) print({ ...look, growth: rss - base });
for (const one of done) print(one);
