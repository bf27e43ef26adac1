// Stands between the load generator, which speaks plain HTTP/1.1 over TCP, and a server that listens otherwise: with TLS, on a
// UNIX socket, by HTTP/2. Each connection of the generator is one connection to the server, and bytes pass unchanged unless
// they become HTTP/2. With requests it also listens on a second port, where each request of the generator, whatever it is,
// becomes the next one of them.
//
// Standard input: a line {"target": {"host", "port"} or {"path"}, "tls": true or false, "http2": 0 or how many clients share a
// connection of HTTP/2}, then maybe a line {"requests": [{"base64", "weight"}]}; each is answered by a line {"port"}. A line
// {"busy": true} is answered by {"busy"}, the share of the time since the last such line in which this program was busy. The end
// of the input ends the program.
import { Buffer } from "node:buffer";
import net from "node:net";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import tls from "node:tls";
import { front } from "./http2.mjs";

const END = Buffer.from("\r\n\r\n");
let dial;

function reach({ target, tls: secure, http2 }) {
  // No authority that is known here has signed a program's own certificate, and both ends are this machine.
  const ALPNProtocols = [http2 ? "h2" : "http/1.1"];
  const connect = secure
    ? () => tls.connect({ ...target, rejectUnauthorized: false, ALPNProtocols })
    : () => net.connect(target);
  return () => connect().setNoDelay(true);
}

function originOf({ target: { host = "localhost", port }, tls: secure }) {
  const name = host.includes(":") ? `[${host}]` : host;
  return `http${secure ? "s" : ""}://${name}${port ? `:${port}` : ""}`;
}

// The requests in turns, each as often as its weight says, and evenly so.
function inTurns(requests) {
  const turns = requests.map(({ base64, weight }) => ({
    bytes: Buffer.from(base64, "base64"),
    weight,
    due: 0,
  }));
  const total = turns.reduce((sum, { weight }) => sum + weight, 0);
  return () => {
    let next = turns[0];
    for (const turn of turns) {
      turn.due += turn.weight;
      if (turn.due > next.due) next = turn;
    }
    next.due -= total;
    return next.bytes;
  };
}

function bridge(client, forward) {
  const server = dial();
  client.setNoDelay(true);
  const give = (one, other) => {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  };
  give(client, server);
  give(server, client);
  server.pipe(client);
  forward(client, server);
}

const answer = (fields) => process.stdout.write(`${JSON.stringify(fields)}\n`);

async function listen(listener) {
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", 4096, resolve));
  const { port } = listener.address();
  answer({ port });
  return port;
}

const bridged = (forward) => net.createServer((client) => bridge(client, forward));

const unchanged = (client, server) => client.pipe(server);

function replacing(requests) {
  const next = inTurns(requests);
  return (client, server) => {
    let matchedBytes = 0; // bytes of the end of a head, which may come in pieces
    client.on("data", (chunk) => {
      for (const byte of chunk) {
        matchedBytes = byte === END[matchedBytes] ? matchedBytes + 1 : Number(byte === END[0]);
        if (matchedBytes === END.length) {
          matchedBytes = 0;
          server.write(next());
        }
      }
    });
    client.on("end", () => server.end());
  };
}

let lastBusy = performance.eventLoopUtilization();
function busy() {
  const before = lastBusy;
  lastBusy = performance.eventLoopUtilization();
  return performance.eventLoopUtilization(lastBusy, before).utilization;
}

const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  const order = JSON.parse(line);
  if (order.busy) answer({ busy: busy() });
  else if (order.requests) await listen(bridged(replacing(order.requests)));
  else {
    dial = reach(order);
    if (order.http2) {
      const port = await listen(front(dial, originOf(order), order.http2));
      dial = reach({ target: { host: "127.0.0.1", port } }); // what else is sent passes the front
    } else await listen(bridged(unchanged));
  }
}
process.exit(0);
