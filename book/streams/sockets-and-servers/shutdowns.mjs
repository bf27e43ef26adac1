// shutdowns.mjs HOW N: N times, a fresh server gets SIGTERM while 20 clients ask. A request is lost if it was
// sent and no whole answer came. What is not sent cannot be lost: it can go to the next server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { print } from "../shared/asking.mjs";
import { scale } from "../shared/watching.mjs";

const [how, times] = [process.argv[2], Math.ceil(Number(process.argv[3]) * scale)];
const program = fileURLToPath(new URL("../../../servers/node/graceful.mjs", import.meta.url));
const LOAD_MS = 60;
const ENOUGH_MS = 45_000; // a machine that needs longer for all of them does fewer
const PATIENCE_MS = 500; // then SIGKILL, as whoever runs servers does (Docker after 10 s, Kubernetes after 30 s)

const started = async () => {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, HOW: how, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  return { child, port: Number(new URL(String(line).split(" ").at(-1)).port) };
};

/** Asks over one connection, again and again; a new one when the server ends it; done when refused. */
function client(port, count) {
  let answers = 0;
  return new Promise((gone) => {
    const open = () => {
      const socket = connect(port, "127.0.0.1");
      let text = "";
      let under_way = false;
      const ask = () => {
        under_way = true;
        socket.write("GET / HTTP/1.1\r\nhost: me\r\n\r\n");
      };
      let refused = false;
      socket.on("connect", ask);
      socket.setEncoding("utf8").on("data", (part) => {
        text += part;
        if (!text.endsWith("\r\n\r\ndone\n")) return;
        under_way = false;
        count.answered += 1;
        count.first += answers === 0;
        answers += 1;
        const last = /^connection: close/im.test(text);
        text = "";
        if (last) socket.end();
        else ask();
      });
      socket.on("error", (error) => (refused = error.code === "ECONNREFUSED"));
      socket.on("close", () => {
        if (under_way) count.lost += 1;
        if (refused) gone();
        else open();
      });
    };
    open();
  });
}

let next = started();
for (let run = 0; run < times && performance.now() < ENOUGH_MS; run += 1) {
  const { child, port } = await next;
  const count = { first: 0, answered: 0, lost: 0 };
  const clients = Array.from({ length: 20 }, () => client(port, count));
  while (count.first < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
  const before = count.answered;
  const told = performance.now();
  child.kill("SIGTERM");
  const killer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const [, signal] = await once(child, "exit");
  clearTimeout(killer);
  const ended_ms = performance.now() - told;
  await Promise.all(clients);
  const killed = signal === "SIGKILL";
  const after = count.answered - before;
  print({ how, run, ...count, after, killed, ended_ms });
  if (run + 1 < times) next = started();
}
(await next).child.kill(); // the one that waits for its turn, if there was no time
