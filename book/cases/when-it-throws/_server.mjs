// Starts servers of the book that may end at any time, and asks them.
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";

/** servers/node/NAME.mjs with these variables: its process, its port, and what it has told its supervisor. */
export const start = async (name, env, execArgv = []) => {
  const program = fileURLToPath(new URL(`../../../servers/node/${name}.mjs`, import.meta.url));
  const child = fork(program, {
    env: { ...process.env, PORT: "0", ...env },
    execArgv,
    stdio: ["ignore", "pipe", "ignore", "ipc"], // what it says of its own end is not of interest here
  });
  const ended = once(child, "exit");
  const [line] = await once(child.stdout, "data");
  return { child, ended, port: Number(new URL(String(line).trim().split(" ").at(-1)).port) };
};

/** One request on a connection of its own: its status, or "cut", "refused", or "nothing" after so many milliseconds. */
export const ask = (port, path, patienceMs = 3000) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET ${path} HTTP/1.1\r\nhost: me\r\nconnection: close\r\n\r\n`);
    let text = "";
    let got = "cut";
    const leaves = setTimeout(() => {
      got = "nothing";
      socket.destroy();
    }, patienceMs);
    socket.setEncoding("latin1").on("data", (part) => (text += part));
    socket.on("error", ({ code }) => {
      if (code === "ECONNREFUSED") got = "refused";
    });
    socket.on("close", () => {
      clearTimeout(leaves);
      resolve(text.slice(9, 12) || got);
    });
  });
