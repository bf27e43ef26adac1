// The other server of these programs, in the same process or in one of its own, and what the kernel says of its connections.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

/** A server at a free port of 127.0.0.1 that counts its connections and requests. */
export const far = async (handler, settings = {}) => {
  const server = Object.assign(createServer(), settings);
  const seen = { connections: 0, requests: 0 };
  server.on("connection", () => (seen.connections += 1));
  server.on("request", (request, response) => {
    seen.requests += 1;
    handler(request, response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  return { seen, port, url: `http://127.0.0.1:${port}/` };
};

/** The same in a process of its own, which sends so many bytes. It ends with this process. */
export const farAway = async (bytes) => {
  const child = fork(fileURLToPath(import.meta.url), ["far", bytes]);
  const [port] = await once(child, "message");
  return { port, url: `http://127.0.0.1:${port}/` };
};

/** The established connections to a port, in the kernel's table, and those with bytes that were never read. */
export const sockets = (port) => {
  const there = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = readFileSync("/proc/self/net/tcp", "utf8").trim().split("\n").slice(1);
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const ours = rows.filter(([, , remote, state]) => remote === there && state === "01");
  return {
    open: ours.map(([, local]) => local),
    unread: ours.filter((row) => !row[4].endsWith(":00000000")).length,
  };
};

if (process.argv[2] === "far") {
  const body = Buffer.alloc(Number(process.argv[3]), "_");
  const { port } = await far((_request, response) => response.end(body), {
    keepAliveTimeout: 60_000,
  });
  process.send(port);
  process.once("disconnect", () => process.exit());
}
