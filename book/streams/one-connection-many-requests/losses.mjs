// 50 requests a second over six HTTP/1.1 connections, and over one HTTP/2 connection, each on a line of its own that takes 20 ms each
// way and loses so many of the packets with responses. The lines are there at the same time.
import { print } from "../shared/asking.mjs";
import { fromFar } from "./_line.mjs";

const SHARES = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98];
const WAYS = ["6 × HTTP/1.1", "1 × HTTP/2"];
const lines = [0, 1, 5].flatMap((lossPercent) => WAYS.map((WAY) => ({ lossPercent, WAY })));
const measured = lines.map(async ({ lossPercent, WAY }) => {
  const env = { LOAD: "rate", BYTES: "1000", WAY };
  const rows = await fromFar(env, { delayMs: 20, lossPercent, seed: 7 });
  const ms = rows.flatMap((row) => row.ms ?? []).sort((a, b) => a - b);
  const { lost, byTimer, early } = rows.at(-1);
  return {
    "packets lost (%)": lossPercent,
    connections: WAY,
    responses: ms.length,
    lost,
    "sent again early": early,
    "timers run out": byTimer,
    "after 60 ms": ms.filter((value) => value > 60).length,
    "after 200 ms": ms.filter((value) => value > 200).length,
    percentiles: SHARES.map((share) => [100 * share, ms[Math.floor(share * ms.length)]]),
  };
});
for (const row of await Promise.all(measured)) print(row);
