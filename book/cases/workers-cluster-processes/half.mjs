// half.mjs: twenty clients wait for answers of a cluster of two processes, and one request throws. How many of the twenty are
// answered, and how many of twenty that come right afterwards?
import { setTimeout as wait } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { ask, client } from "./_asking.mjs";

const answered = async (visits) =>
  (await Promise.all(visits)).filter((text) => text === "pong").length;

const kept = Array.from({ length: 20 }, client);
for (const agent of kept) await ask("/", agent); // one after the other: they are dealt evenly
const waiting = kept.map((agent) => ask("/slow", agent));
await wait(150); // they are there
await ask("/throws");
const afterwards = await answered(kept.map(() => ask("/")));
print({ "waited, and were answered": await answered(waiting), "came after, and were": afterwards });
for (const agent of kept) agent.destroy();
