// Event loop utilisation and CPU time of four ways to spend 300 ms. A line per way, as shares of the time.
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const SPENT_MS = 300;

const busy = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

// ways to spend the time
const ways = {
  "a timer": () => sleep(SPENT_MS),
  "5 ms of work every 10 ms": async () => {
    const end = performance.now() + SPENT_MS;
    for (let next = performance.now(); next < end; next += 10) {
      busy(5);
      await sleep(Math.max(1, next + 10 - performance.now()));
    }
  },
  "a busy loop": async () => busy(SPENT_MS),
  "spawnSync('sleep')": async () => spawnSync("sleep", [String(SPENT_MS / 1000)]),
};

const share = (value) => Number(value.toFixed(2));

await sleep(50);
for (const [how, spend] of Object.entries(ways)) {
  const before = performance.eventLoopUtilization();
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await spend();
  await sleep(1); // back to the loop: each way begins in a callback of its own
  const { user, system } = process.cpuUsage(cpu);
  const since = performance.eventLoopUtilization(before).utilization;
  const total = performance.eventLoopUtilization().utilization;
  const used = (user + system) / 1000 / (performance.now() - begin);
  console.log(
    JSON.stringify({
      how,
      utilisation: share(since),
      CPU: share(used),
      "utilisation since start": share(total),
    }),
  );
}
