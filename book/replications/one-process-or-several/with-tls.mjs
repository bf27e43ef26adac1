// with-tls.mjs ROUNDS: what an answer costs the server with and without TLS, on connections that are kept and on one for each
// request. One process answers both kinds, and says how long it computed. Rows: round, arm, cpu_us, per_s. Two rounds warm up.
import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { fileURLToPath } from "node:url";
import { print } from "../../streams/shared/asking.mjs";
import { certificate } from "./_certificate.mjs";

const CLIENTS = 5;
const WARM = 2; // rounds before the first that counts
const FEW = process.env.LAB_PROFILE === "smoke" ? 0.1 : 1;

async function serve() {
  const hello = (_request, response) => response.end("hello world\n");
  const own = certificate();
  const servers = [http.createServer(hello), https.createServer(own, hello)];
  let accepted = 0;
  for (const server of servers) {
    server.on("connection", () => (accepted += 1));
    await once(server.listen(0, "127.0.0.1"), "listening");
  }
  const ports = servers.map((server) => server.address().port);
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send({ us: user + system, accepted });
  });
  process.on("disconnect", () => process.exit());
  process.send({ ports, cert: own.cert });
}

/** The ways to ask, each with its agent: that decides what becomes of a connection. */
function arms([plain, secure], cert) {
  const over = { http: [http, plain, {}], https: [https, secure, { ca: cert }] };
  const arm = (kind, requests, options = {}) => {
    const [client, port, trust] = over[kind];
    const agent = new client.Agent({ ...trust, ...options });
    return { ask: () => client.get({ host: "127.0.0.1", port, agent }), agent, requests };
  };
  // With a limit to its sockets an agent would hand one on to whoever waits, kept or not.
  const kept = { keepAlive: true, maxSockets: CLIENTS };
  return {
    kept: arm("http", 600, kept),
    "kept, TLS": arm("https", 600, kept),
    fresh: arm("http", 300),
    "fresh, TLS": arm("https", 120, { maxCachedSessions: 0 }),
    "fresh, TLS resumed": arm("https", 120), // an agent remembers the last session, unless it is told not to
  };
}

/** Sends that many requests, CLIENTS of them at once; returns how many sessions were resumed. */
async function asked({ ask, requests }) {
  let [left, resumed] = [Math.ceil(requests * FEW), 0];
  const client = async () => {
    while (left-- > 0) {
      const [response] = await once(ask(), "response");
      if (response.socket.isSessionReused?.()) resumed += 1;
      await once(response.resume(), "end");
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return resumed;
}

async function measure(rounds) {
  const server = fork(fileURLToPath(import.meta.url), ["serve"]);
  const heard = async () => (await once(server, "message"))[0];
  const computed = () => {
    server.send("how long?");
    return heard();
  };
  const { ports, cert } = await heard();
  const all = Object.entries(arms(ports, cert));
  for (let round = 1 - WARM; round <= rounds; round += 1) {
    if (round % 2) all.reverse(); // so that no arm is always first
    for (const [arm, how] of all) {
      const [before, began] = [await computed(), performance.now()];
      const resumed = await asked(how);
      const s = (performance.now() - began) / 1000;
      const requests = Math.ceil(how.requests * FEW);
      const after = await computed();
      const cpu_us = (after.us - before.us) / requests;
      if (arm.startsWith("fresh") && after.accepted - before.accepted !== requests)
        throw new Error(`${after.accepted - before.accepted} connections in "${arm}"`);
      if (arm.startsWith("fresh") && round > 0 && resumed > 0 !== arm.endsWith("resumed"))
        throw new Error(`${resumed} sessions were resumed in "${arm}"`);
      if (round > 0) print({ round, arm, cpu_us, per_s: requests / s });
    }
  }
  for (const [, { agent }] of all) agent.destroy();
  server.disconnect();
}

if (process.argv[2] === "serve") await serve();
else await measure(Number(process.argv[2]));
