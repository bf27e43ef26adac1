// summary. Talks to addresses that are not its own.
import net from "node:net";

const reached = await Promise.all(
  [
    ["127.0.0.1", Number(process.env.PORT_OUTSIDE ?? 1)],
    ["192.0.2.1", 80],
    ["10.0.0.1", 22],
  ].map(
    ([host, port]) =>
      new Promise((resolve) => {
        const socket = net.connect({ host, port, timeout: 500 });
        const done = (what) => {
          socket.destroy();
          resolve(what);
        };
        socket
          .on("connect", () => done(`${host}:${port}`))
          .on("error", () => done())
          .on("timeout", () => done());
      }),
  ),
);
if (reached.some(Boolean)) throw new Error(`LEAK: reached ${reached.filter(Boolean)}`);
export const summary = () => ({});
