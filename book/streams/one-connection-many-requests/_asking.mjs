// Clients for _both.mjs: a number of kept HTTP/1.1 connections, or streams of one HTTP/2 connection.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const SERVER = fileURLToPath(new URL("./_both.mjs", import.meta.url));

/** A server process: its ports, its counts, its end. */
export const served = async (env = {}) => {
  const server = fork(SERVER, { env: { ...process.env, ...env } });
  const [{ ports }] = await once(server, "message");
  const counts = async (reset = false) => {
    server.send(reset);
    return (await once(server, "message"))[0];
  };
  const stop = async () => {
    server.kill();
    await once(server, "exit");
  };
  return { one: ports[0], two: ports[1], counts, stop };
};

/** Asks over at most so many HTTP/1.1 connections, which are kept. */
export const overOne = (port, connections, host = "127.0.0.1") => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const request = get({ host, port, path, agent }, (response) =>
        text(response).then(resolve, reject),
      );
      request.on("error", reject);
    });
  return { ask, close: () => agent.destroy() };
};

/** Asks over one HTTP/2 connection, with Node's windows or larger ones. */
export const overTwo = async (port, host = "127.0.0.1", room = 0) => {
  const settings = room ? { initialWindowSize: room } : {};
  const session = connect(`http://${host}:${port}`, { settings });
  await once(session, "remoteSettings");
  if (room) session.setLocalWindowSize(room);
  const ask = (path) => text(session.request({ ":path": path }));
  return { ask, session, close: () => session.close() };
};

/** Connections that the kernel has at that port of the server's side. */
export const inKernel = (port) => {
  const hex = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n");
  const established = rows.map((row) => row.trim().split(/\s+/)).filter((row) => row[3] === "01");
  return established.filter(([, local]) => local.endsWith(hex)).length;
};
