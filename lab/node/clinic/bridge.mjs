// Stands between the load generator, which speaks plain HTTP over TCP, and a server that listens otherwise: with TLS, on a
// UNIX socket. Each connection of the generator is one connection to the server, and bytes pass unchanged. With requests it
// also listens on a second port, where each request of the generator, whatever it is, becomes the next one of them.
//
// Standard input: a line {"target": {"host", "port"} or {"path"}, "tls": true or false}, then maybe a line {"requests":
// [{"base64", "weight"}]}; each is answered by a line {"port"}. Its end ends the program.
import { Buffer } from "node:buffer";
import net from "node:net";
import { createInterface } from "node:readline";
import tls from "node:tls";

const END = Buffer.from("\r\n\r\n");
let dial;

function reach({ target, tls: secure }) {
  // A certificate of one's own is signed by nobody that is known here, and both ends are this machine.
  if (secure)
    return () => tls.connect({ ...target, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
  return () => net.connect(target);
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
  server.setNoDelay(true);
  const give = (one, other) => {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  };
  give(client, server);
  give(server, client);
  server.pipe(client);
  forward(client, server);
}

async function listen(forward) {
  const listener = net.createServer((client) => bridge(client, forward));
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", 4096, resolve));
  process.stdout.write(`${JSON.stringify({ port: listener.address().port })}\n`);
}

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

const lines = createInterface({ input: process.stdin });
for await (const line of lines) {
  const order = JSON.parse(line);
  if (order.target) {
    dial = reach(order);
    await listen(unchanged);
  } else await listen(replacing(order.requests));
}
process.exit(0);
