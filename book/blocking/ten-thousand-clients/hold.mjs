// hold.mjs MANY…: so many clients keep a connection each. What does a client take, and when do all get their responses if
// they ask at once? One row for each number of clients.
import { print } from "../../streams/shared/asking.mjs";
import { counts, crowd, isSmoke, quantile, watched } from "./_clients.mjs";

const WAIT_MS = isSmoke ? 200 : 1000;
const { clients, ask, upTo, leave } = crowd();
const turnsOf = async () => {
  if (!process.env.SERVER_TURNS) return {};
  const response = await fetch(`${process.env.SERVER_URL}/turns`, {
    headers: { connection: "close" },
  });
  return response.json();
};

await upTo(1);
const before = await watched();
for (const many of counts(process.argv.slice(isSmoke ? -1 : 2))) {
  await upTo(many);
  const now = await watched();
  const each = (name) => (now[name] - before[name]) / (many - 1);
  const turns = await turnsOf();
  const loop = performance.eventLoopUtilization();
  const took = await Promise.all(clients.map((client) => ask(client, `/${WAIT_MS}`)));
  const { utilization } = performance.eventLoopUtilization(loop);
  const { loopCount, events } = await turnsOf();
  print({
    clients: many,
    threads: now.threads,
    "promised (KiB each)": each("promised"),
    "process (KiB each)": each("own"),
    "page tables (KiB each)": each("tables"),
    "kernel stacks (KiB each)": Math.max(0, each("stacks")),
    "other kernel memory (KiB each)": Math.max(0, each("slab")),
    "p50 (ms)": quantile(took, 0.5),
    "p99 (ms)": quantile(took, 0.99),
    "generator busy (%)": Math.round(100 * utilization),
    ...(turns.events === undefined
      ? {}
      : { turns: loopCount - turns.loopCount, events: events - turns.events }),
  });
}
leave();
