// An event to 100 clients, written in several ways. How many write system calls does a client take, how many of them are made before the
// loop over the clients ends, and how much CPU time does it take? The kernel counts the calls (/proc/self/io).
import { existsSync, readFileSync } from "node:fs";
import { median, print } from "../shared/asking.mjs";
import { crowd, hub } from "./_hub.mjs";

const CLIENTS = 100;
const EVENTS = 30;
const hasCounts = existsSync("/proc/self/io"); // Linux alone has it; elsewhere the counts are missing
const calls = () =>
  hasCounts ? Number(/syscw: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]) : Number.NaN;

const { clients, port } = await hub();
const call = await crowd(port, CLIENTS);
const state = { list: Array.from({ length: 20 }, (_, n) => ({ stock: n, price: n * 1.1 })) };
const text = (id) => `id: ${id}\ndata: ${JSON.stringify(state)}\n\n`;
// As a response with chunked encoding would write it.
const chunk = (body) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
const ways = {
  "socket: three writes": (id) => {
    const parts = [`id: ${id}\n`, `data: ${JSON.stringify(state)}\n`, "\n"].map(chunk);
    for (const { socket } of clients) for (const part of parts) socket.write(part);
  },
  "socket: three writes, corked": (id) => {
    const parts = [`id: ${id}\n`, `data: ${JSON.stringify(state)}\n`, "\n"].map(chunk);
    for (const { socket } of clients) {
      socket.cork();
      for (const part of parts) socket.write(part);
      socket.uncork();
    }
  },
  "response: three writes": (id) => {
    for (const response of clients) {
      response.write(`id: ${id}\n`);
      response.write(`data: ${JSON.stringify(state)}\n`);
      response.write("\n");
    }
  },
  "response: one write, a text for each": (id) => {
    for (const response of clients) response.write(text(id));
  },
  "response: one write, a Buffer for all": (id) => {
    const bytes = Buffer.from(text(id));
    for (const response of clients) response.write(bytes);
  },
};
// end of the ways

// The texts are as long as each other, so that all ways send the same bytes, but for the heads of chunks.
let id = 1000;
for (const [way, write] of Object.entries(ways)) {
  const rows = [];
  for (let round = 0; round < EVENTS; round++) {
    const cpu = process.cpuUsage();
    const before = calls();
    write(++id);
    const inLoop = calls();
    await new Promise((resolve) => setImmediate(resolve)); // what is left for the next tick is written
    const all = calls();
    const { user, system } = process.cpuUsage(cpu);
    rows.push({ inLoop: inLoop - before, all: all - before, us: user + system });
    await call("heard", CLIENTS * (id - 1000));
  }
  const middle = (name) => median(rows.map((row) => row[name])) / CLIENTS;
  print({
    way,
    bytes: Buffer.byteLength(text(id)),
    "calls for a client": middle("all"),
    "in the loop": middle("inLoop"),
    "CPU (µs a client)": middle("us"),
  });
}
process.exit();
