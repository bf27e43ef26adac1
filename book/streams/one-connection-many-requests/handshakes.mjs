// handshakes.mjs ROUNDS [COUNT KEY]: that many clients send a request each over HTTPS at the same moment: with a full handshake, with
// a resumed one, or on connections that are kept. Meanwhile another client pings the same process over TCP. The numbers are medians
// of the rounds. With a KEY there are only full handshakes, with keys of that kind.
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, createServer, get } from "node:https";
import { connect, createServer as createTcpServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { median, print } from "../shared/asking.mjs";
import { certificate } from "./_certificates.mjs";

const SELF = fileURLToPath(import.meta.url);
const PING_EVERY_MS = 2;

/** The processor time of the loop's thread, in µs. Node 20 can't tell, but Linux can. */
const loopUs = () => {
  if (process.threadCpuUsage) {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  }
  if (process.platform !== "linux")
    throw new Error("This Node has no process.threadCpuUsage(): run this page with Node 24");
  return (
    Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e3
  );
};

async function serve(kind) {
  const { key, cert } = certificate(kind);
  const pings = createTcpServer({ noDelay: true }, (socket) => socket.pipe(socket));
  const options = { key, cert, keepAliveTimeout: 0 }; // no kept connection ends between two rounds
  const secure = createServer(options, (_request, response) => response.end("hello\n"));
  let handshakes = 0;
  secure.on("secureConnection", () => handshakes++);
  for (const server of [secure, pings]) await once(server.listen(0, "127.0.0.1"), "listening");
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ loopUs: loopUs(), allUs: user + system, handshakes });
  });
  process.on("disconnect", () => process.exit());
  process.send({ port: secure.address().port, pingPort: pings.address().port, cert });
}

/** In a thread of its own, since the clients keep theirs busy: pings until it is told to stop, and says how long the longest took. */
async function ping(port) {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  let isAsked = false;
  parentPort.on("message", (asked) => {
    isAsked = asked;
  });
  for (;;) {
    while (!isAsked) await once(parentPort, "message");
    let longest = 0;
    while (isAsked) {
      const sent = performance.now();
      socket.write("?");
      await once(socket, "data");
      longest = Math.max(longest, performance.now() - sent);
      await sleep(PING_EVERY_MS);
    }
    parentPort.postMessage(longest);
  }
}

/** A server with a key of that kind, in a process of its own, and its pings. */
async function started(kind) {
  const child = fork(SELF, ["serve", kind]);
  const failed = () => process.exit(1); // it has said why
  child.on("exit", failed);
  const heard = async () => (await once(child, "message"))[0];
  const { port, pingPort, cert } = await heard();
  const pinging = new Worker(SELF, { workerData: pingPort });
  return {
    port,
    cert,
    counts() {
      child.send("counts");
      return heard();
    },
    ping: () => pinging.postMessage(true),
    async longestPing() {
      pinging.postMessage(false);
      return (await once(pinging, "message"))[0];
    },
    async stop() {
      child.off("exit", failed).disconnect();
      await pinging.terminate();
    },
  };
}

/** All clients send a request at once; returns how many had resumed a session. */
async function burst({ port, agent }, count) {
  const one = async () => {
    const [response] = await once(get({ host: "127.0.0.1", port, agent }), "response");
    const isResumed = response.socket.isSessionReused();
    await once(response.resume(), "end");
    return isResumed;
  };
  const resumed = await Promise.all(Array.from({ length: count }, one));
  return resumed.filter(Boolean).length;
}

const CONNECTIONS = {
  new: { maxCachedSessions: 0 },
  resumed: {}, // an agent keeps the last session, unless it is told not to
  kept: { keepAlive: true, maxCachedSessions: 0 },
};
const ARMS = [
  ["RSA-4096", "new"],
  ["RSA-2048", "new"],
  ["P-256", "new"],
  ["RSA-4096", "resumed"],
  ["RSA-4096", "kept"],
];

async function measured({ server, agent, connection }, count) {
  const before = await server.counts();
  server.ping();
  const began = performance.now();
  const resumed = await burst({ port: server.port, agent }, count);
  const seconds = (performance.now() - began) / 1000;
  const longest = await server.longestPing();
  const after = await server.counts();
  const handshakes = after.handshakes - before.handshakes;
  const [wanted, wantedResumed] = { new: [count, 0], resumed: [count, count], kept: [0, 0] }[
    connection
  ];
  if (handshakes !== wanted || (wanted && resumed !== wantedResumed))
    throw new Error(
      `${handshakes} handshakes, ${resumed} of them resumed, on "${connection}" connections: ` +
        `${wanted} and ${wantedResumed} were expected`,
    );
  const allUs = after.allUs - before.allUs;
  return {
    "responses/s": count / seconds,
    "server's CPU (ms each)": allUs / 1000 / count,
    "of it on the loop (%)": (100 * (after.loopUs - before.loopUs)) / allUs,
    "longest ping (ms)": longest,
  };
}

async function measure(rounds, count, only) {
  const chosen = only ? [[only, "new"]] : ARMS;
  const servers = {};
  for (const [kind] of chosen) servers[kind] ??= await started(kind);
  const arms = chosen.map(([key, connection]) => {
    const server = servers[key];
    const agent = new Agent({ ca: server.cert, ...CONNECTIONS[connection] });
    return { key, connection, server, agent, rows: [] };
  });
  for (const { server, agent } of arms) {
    await burst({ port: server.port, agent }, 1); // the session that is resumed
    await burst({ port: server.port, agent }, count);
  }
  for (let round = 0; round < rounds; round++)
    for (const arm of round % 2 ? arms.toReversed() : arms)
      arm.rows.push(await measured(arm, count));
  for (const { key, connection, rows, agent } of arms) {
    const columns = Object.keys(rows[0]);
    const middle = columns.map((name) => [name, median(rows.map((row) => row[name]))]);
    print({ key, connection, ...Object.fromEntries(middle) });
    agent.destroy();
  }
  await Promise.all(Object.values(servers).map((server) => server.stop()));
}

const [what, ...rest] = process.argv.slice(2);
if (!isMainThread) await ping(workerData);
else if (what === "serve") await serve(...rest);
else {
  const [count = "50", only] = rest;
  for (const number of [what, count])
    if (!/^\d{1,3}$/.test(number) || number < 1 || number > 500)
      throw new RangeError(`${number}: write a whole number from 1 to 500`); // 511 fit into a backlog
  await measure(Number(what), Number(count), only);
}
