// slow-reader.mjs WAY RATE: asks SERVER_URL for /WAY, reads RATE MiB a second, and looks every 40 ms
// where the bytes are: made, in the server's queue, in the kernel, read. One JSON line a look.
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { kernelMib, MIB, residentMib, scale, tree, unlinkedMib } from "../shared/watching.mjs";

const [way, rate] = [process.argv[2], Number(process.argv[3]) / scale];
const { hostname, port } = new URL(process.env.SERVER_URL);
const agent = new Agent({ keepAlive: true });
const pids = tree(Number(process.env.SERVER_PID));

const ask = () =>
  new Promise((resolve, reject) => {
    const request = get(process.env.SERVER_URL, { agent }, async (response) => {
      let text = "";
      for await (const part of response.setEncoding("utf8")) text += part;
      resolve(JSON.parse(text));
    });
    request.on("error", reject);
  });

await ask();
const before = residentMib(pids);
const socket = connect(port, hostname);
const began = performance.now();
const since = () => (performance.now() - began) / 1000;
let read = 0;
let open = true;

socket.on("data", (chunk) => {
  read += chunk.length / MIB;
  const ahead = read / rate - since();
  if (ahead < 0.002) return;
  socket.pause();
  setTimeout(() => socket.resume(), ahead * 1000);
});
socket.on("close", () => (open = false));
socket.write(`GET /${way} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n\r\n`);

while (open) {
  const told = await ask();
  const row = { way, t_s: since(), made: told.made / MIB, read, queued: told.queued / MIB };
  row.kernel = kernelMib(Number(port), socket.localPort ?? 0);
  row.spooled = unlinkedMib(pids);
  Object.assign(row, { rss: residentMib(pids) || told.rss / MIB, rss_before: before });
  for (const part of ["heapUsed", "external", "arrayBuffers"]) row[part] = told[part] / MIB;
  for (const key of Object.keys(row)) if (key !== "way") row[key] = Number(row[key].toFixed(3));
  console.log(JSON.stringify(row));
  await new Promise((resolve) => setTimeout(resolve, 40));
}
agent.destroy();
