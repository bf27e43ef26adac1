// A thousand clients get a comment every half second, so that no proxy closes their connections. In how many turns of the loop is that done,
// and how much CPU time does it take: with a timer for each client, of the same or of random durations, or one timer for all?
import { setTimeout as after } from "node:timers/promises";
import { print } from "../shared/asking.mjs";
import { crowd, hub } from "./_hub.mjs";

const CLIENTS = 1000;
const EVERY_MS = 500;
const BEATS = 2;
const beat = Buffer.from(":\n\n");
const turn = () => performance.nodeTiming.uvMetricsInfo.loopCount;
const ways = {
  "one timer for all": (clients, send) => [
    setInterval(() => {
      for (const client of clients) send(client);
    }, EVERY_MS),
  ],
  "a timer each, same duration": (clients, send) =>
    clients.map((client) => setInterval(send, EVERY_MS, client)),
  "a timer each, random duration": (clients, send) =>
    clients.map((client) => setInterval(send, EVERY_MS * (0.5 + Math.random()), client)),
};
// end of the ways

const { clients, port } = await hub();
await crowd(port, CLIENTS);
for (const [timers, start] of Object.entries(ways)) {
  const inTurn = new Map();
  let sent = 0;
  const send = (client) => {
    client.write(beat);
    sent += 1;
    inTurn.set(turn(), (inTurn.get(turn()) ?? 0) + 1);
  };
  await after(200);
  const cpu = process.cpuUsage();
  const running = start(clients, send);
  while (sent < BEATS * CLIENTS) await after(100);
  for (const timer of running) clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  print({
    timers,
    heartbeats: sent,
    "turns with heartbeats": inTurn.size,
    "most in one turn": Math.max(...inTurn.values()),
    "CPU (µs a heartbeat)": (user + system) / sent,
  });
}
process.exit();
