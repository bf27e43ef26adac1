// broadcast.mjs BYTES MANY…: an event of so many bytes goes to so many clients, in one loop or in slices with a turn between two. A ping is on its way to the
// server when the event is sent. How many clients have got the event by then, and when is each of them written to?
import { connect } from "node:net";
import { median, print } from "../shared/asking.mjs";
import { crowd, event, hub } from "./_hub.mjs";

const SLICE = 50;
const ROUNDS = 9;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const ways = {
  "one loop": async (clients, bytes, wrote) => {
    for (const client of clients) {
      client.write(bytes);
      wrote();
    }
  },
  "in slices": async (clients, bytes, wrote) => {
    for (let from = 0; from < clients.length; from += SLICE) {
      for (const client of clients.slice(from, from + SLICE)) {
        client.write(bytes);
        wrote();
      }
      await nextTurn();
    }
  },
};
// end of the ways

/** One broadcast: to how many clients the kernel had been given the event when the ping was served, and when, client by client. */
const measure = async (broadcast, { clients, server, pinger }, bytes) => {
  const written = [];
  let served;
  server.once("request", () => (served = written.length));
  const pong = new Promise((resolve) => pinger.once("data", () => resolve(performance.now())));
  const since = performance.now();
  pinger.write("GET /ping HTTP/1.1\r\nhost: me\r\n\r\n");
  // A response gives the kernel its bytes in a tick of its own. The next one is ours.
  const note = () => written.push(performance.now() - since);
  const over = broadcast(clients, bytes, () => process.nextTick(note));
  const looped = performance.now() - since;
  await over;
  const answered = (await pong) - since;
  return { served, looped, written, answered };
};

const [size, ...numbers] = process.argv.slice(2).map(Number);
for (const many of numbers) {
  const { server, clients, port } = await hub();
  const call = await crowd(port, many);
  const pinger = connect(port, "127.0.0.1");
  const rounds = Object.keys(ways).map(() => []);
  for (let sent = 0; sent < ROUNDS * rounds.length; ) {
    const way = sent % rounds.length;
    const bytes = Buffer.from(event(++sent, size));
    const broadcast = Object.values(ways)[way];
    rounds[way].push(await measure(broadcast, { clients, server, pinger }, bytes));
    await call("heard", sent * many);
  }
  for (const [at, way] of Object.keys(ways).entries()) {
    const middle = (of) => median(rounds[at].slice(2).map(of));
    print({
      clients: many,
      way,
      "written before the ping": middle(({ served }) => served),
      "calls of write() done (ms)": middle(({ looped }) => looped),
      "first client (ms)": middle(({ written }) => written[0]),
      "last client (ms)": middle(({ written }) => written[many - 1]),
      "ping answered (ms)": middle(({ answered }) => answered),
      curve: Array.from({ length: Math.min(many, 40) }, (_, n) => {
        const client = Math.ceil(((n + 1) * many) / Math.min(many, 40));
        return [client, middle(({ written }) => written[client - 1])];
      }),
    });
  }
  call.end();
  pinger.destroy();
  server.closeAllConnections();
  server.close();
}
process.exit();
