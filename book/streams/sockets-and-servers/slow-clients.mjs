// slow-clients.mjs N: N clients that never finish what they say. How long are they borne, and what do they cost?
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { address, median, print } from "../shared/asking.mjs";
import { needDescriptors } from "../shared/limits.mjs";
import { descriptors, residentMib } from "../shared/watching.mjs";

const many = Number(process.argv[2]);
needDescriptors(many + 100);
const pid = Number(process.env.SERVER_PID);
const began = performance.now();
const since = () => performance.now() - began;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Writes `words`, then one byte every 100 ms of `rest`; tells when and how the server ended it. */
const client = (kind, words, rest = "") =>
  new Promise((resolve) => {
    const socket = connect(address());
    const started = since();
    let text = "";
    let sent = 0;
    socket.write(words);
    const drip = rest && setInterval(() => socket.write(rest[sent++ % rest.length]), 100);
    socket.setEncoding("utf8").on("data", (part) => (text += part));
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(drip);
      const status = text.split("\r\n")[0];
      resolve({ kind, closed_after_ms: since() - started, status });
    });
  });

const head = "GET / HTTP/1.1\r\nhost: me\r\n";
const post = "POST / HTTP/1.1\r\nhost: me\r\ncontent-length: 1000\r\n\r\n";

const ping = async () => {
  const socket = connect(address());
  const started = performance.now();
  socket.end(`${head}connection: close\r\n\r\n`);
  for await (const _ of socket);
  return performance.now() - started;
};

await ping();
const before = { rss: residentMib([pid]), sockets: descriptors(pid).length };
const slow = Array.from({ length: many }, () => client("headers, byte by byte", head, "x"));
slow.push(client("body, byte by byte", post, "x"), client("silent after an answer", `${head}\r\n`));
slow.push(client("silent from the start", ""));
await sleep(150);
const pings = [];
for (let i = 0; i < 20; i += 1) pings.push(await ping());
print({
  kind: "cost",
  clients: many,
  sockets: descriptors(pid).length - before.sockets,
  kib_each: (1024 * (residentMib([pid]) - before.rss)) / many,
  ping_ms: median(pings),
});
const all = await Promise.all(slow);
for (const kind of new Set(all.map((one) => one.kind))) {
  const mine = all.filter((one) => one.kind === kind);
  const closed_after_ms = median(mine.map((one) => one.closed_after_ms));
  print({ kind, clients: mine.length, closed_after_ms, status: mine[0].status });
}
process.exit();
