// backlog.mjs BACKLOG…: a thousand clients connect while a server's loop is busy. It has time again 100 ms after the last of them has
// begun. How many has the kernel connected by then, when is the last one connected, and how many attempts met a full queue?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { print } from "../../streams/shared/asking.mjs";
import { fitting, read } from "./_clients.mjs";

const CLIENTS = fitting(1000);
const BUSY_MS = 100;
const LONGEST_MS = 60_000;

const overflows = () => {
  const [names, values] = read("/proc/net/netstat").match(/^TcpExt:.*$/gm) ?? ["", ""];
  const at = names.split(" ").indexOf("ListenOverflows");
  return at < 0 ? Number.NaN : Number(values.split(" ")[at]);
};

const serve = async (backlog) => {
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  await once(server.listen({ port: 0, host: "127.0.0.1", backlog }), "listening");
  process.stdout.write(`${server.address().port}\n`); // console.log may colour a number
  setImmediate(() => {
    readSync(0, Buffer.alloc(1)); // the loop is busy until there is a byte
    process.stdin.resume().on("end", () => process.exit());
  });
};

const measure = async (backlog) => {
  const server = spawn(process.execPath, [fileURLToPath(import.meta.url), "serve", backlog], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [port] = await once(server.stdout, "data");
  await after(50); // now its loop is busy
  const before = overflows();
  const since = performance.now();
  const took = [];
  const sockets = Array.from({ length: CLIENTS }, () =>
    connect(Number(port), "127.0.0.1").on("error", () => {}),
  );
  const all = Promise.all(
    sockets.map(async (socket) => {
      await once(socket, "connect");
      took.push(performance.now() - since);
    }),
  );
  await after(BUSY_MS);
  const { length: meanwhile } = took;
  server.stdin.write(".");
  await all;
  const met = overflows() - before;
  for (const socket of sockets) socket.resetAndDestroy();
  server.stdin.end();
  await once(server, "exit");
  print({
    backlog: Number(backlog),
    clients: CLIENTS,
    "connected while it was busy": meanwhile,
    "the last after (ms)": Math.max(...took),
    "met a full queue": Number.isNaN(met) ? null : met,
  });
};

if (process.argv[2] === "serve") await serve(Number(process.argv[3]));
else {
  setTimeout(() => process.exit(1), LONGEST_MS).unref();
  for (const backlog of process.argv.slice(2)) await measure(backlog);
}
