// waits.mjs: while a server computes for one client, twenty others ask, on new connections and on connections that are kept. How
// many of the twenty are answered only after that one?
import { setTimeout as wait } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { ask, client } from "./_asking.mjs";

const OTHERS = 20;
const heavyAndOthers = async (agents) => {
  let over = false;
  const heavy = ask("/heavy").then(() => (over = true));
  await wait(120); // it has begun
  const late = async (agent) => {
    await ask("/", agent);
    return over;
  };
  const waited = (await Promise.all(agents.map(late))).filter(Boolean).length;
  await heavy;
  return waited;
};

const kept = Array.from({ length: OTHERS }, client);
for (const agent of kept) await ask("/", agent); // opens them, one after the other
const onKept = await heavyAndOthers(kept);
for (const agent of kept) agent.destroy();
const onNew = await heavyAndOthers(Array(OTHERS).fill(false));
print({ "waited, new connections": onNew, "waited, kept connections": onKept });
