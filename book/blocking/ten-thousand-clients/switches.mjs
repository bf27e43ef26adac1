// switches.mjs MANY: so many clients ask at once. How often do the server's threads take turns on the processors?
import { readdirSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { counts, crowd, quantile, switches } from "./_clients.mjs";

const WAIT_MS = 500;
const { clients, ask, upTo, leave } = crowd();
const [many] = counts(process.argv.slice(2));
await upTo(many);
const before = switches(readdirSync);
const took = await Promise.all(clients.map((client) => ask(client, `/${WAIT_MS}`)));
print({
  clients: many,
  "context switches for a response": (switches(readdirSync) - before) / many,
  "p50 (ms)": quantile(took, 0.5),
  "p99 (ms)": quantile(took, 0.99),
});
leave();
// Threads that notice the end of their connections take turns, too. The next run begins when they are gone.
while (readdirSync(`/proc/${process.env.SERVER_PID}/task`).length > 2) await after(50);
