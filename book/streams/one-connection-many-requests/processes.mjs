// Two processes of a cluster behind one port: 200 requests, over one HTTP/2 connection or several. Which process answers?
import cluster from "node:cluster";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { print } from "../shared/asking.mjs";
import { overOne, overTwo } from "./_asking.mjs";

cluster.setupPrimary({ exec: fileURLToPath(new URL("./_both.mjs", import.meta.url)) });
const workers = [cluster.fork(), cluster.fork()];
const [[{ ports }]] = await Promise.all(workers.map((worker) => once(worker, "message")));
const [one, two] = ports;
const several = (open, count) => Promise.all(Array.from({ length: count }, open));
const ways = {
  "1 × HTTP/2": await several(() => overTwo(two), 1),
  "8 × HTTP/2": await several(() => overTwo(two), 8),
  "8 × HTTP/1.1": await several(() => overOne(one, 1), 8),
};
for (const [connections, clients] of Object.entries(ways)) {
  const asked = Array.from({ length: 200 }, (_, i) => clients[i % clients.length].ask("/wait/5"));
  const pids = await Promise.all(asked);
  const by = ({ process: { pid } }) => pids.filter((answer) => answer === String(pid)).length;
  const [least, most] = workers.map(by).sort((a, b) => a - b);
  print({ connections, requests: pids.length, "one process": most, "the other": least });
  for (const { close } of clients) close();
}
cluster.disconnect(() => process.exit());
