// What does a chunk of 1 KiB cost, by the way it goes: promises and ticks that are made for it, bytes of garbage, and CPU time? And
// how often does the loop turn while 2,000 of them go by? Each way has a process of its own, with code compiled for that way alone.
import { createHook } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { median, print } from "../shared/asking.mjs";
import { ways } from "./_ways.mjs";

const chunk = new Uint8Array(1024);
const CHUNKS = 5000;
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** What 200 chunks more take: what a stream costs by itself is in both runs, and goes. */
const more = async (run) => ((await run(400)) - (await run(200))) / 200;

const made = { PROMISE: 0, TickObject: 0 };
const hook = createHook({ init: (_, type) => (made[type] += 1) });
const counted = (way, type) =>
  more(async (n) => {
    made[type] = 0;
    hook.enable();
    await way(n, chunk);
    hook.disable();
    return made[type];
  }).then((count) => Number(count.toFixed(1)));

const allocated = async (way) => {
  const all = [];
  for (let i = 0; i < 3; i++) {
    const bytes = await more(async (n) => {
      collect();
      const before = process.memoryUsage().heapUsed;
      await way(n, chunk);
      return process.memoryUsage().heapUsed - before;
    });
    all.push(bytes);
  }
  return Math.round(median(all));
};

const cpuUs = async (way) => {
  const before = process.cpuUsage();
  await way(CHUNKS, chunk);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CHUNKS;
};

const turnsOf = async (way) => {
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await way(2000, chunk);
  clearImmediate(next);
  return turns;
};

async function weigh(way) {
  const run = ways[way];
  // Compilers work on threads of this process, whose time counts, too: let them come to an end.
  for (let round = 0; round < 48; round++) await run(CHUNKS, chunk);
  const us = [];
  for (let round = 0; round < 7; round++) us.push(await cpuUs(run));
  const promises = await counted(run, "PROMISE");
  const ticks = await counted(run, "TickObject");
  const [turns, bytes] = [await turnsOf(run), await allocated(run)];
  print({ way, promises, ticks, turns, bytes, us: median(us) });
}

const [, file, one] = process.argv;
if (one) await weigh(one);
else
  for (const way of Object.keys(ways))
    execFileSync(process.execPath, [file, way], { stdio: ["ignore", "inherit", "inherit"] });
