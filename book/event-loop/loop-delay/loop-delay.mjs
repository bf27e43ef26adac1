// What monitorEventLoopDelay says of half a second in which nothing happens, in which the loop is blocked
// for 100 ms, and in which it is blocked for 100 ms directly after reset(). A line per case, in ms.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

const RESOLUTION_MS = 10;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

const busy = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

const ms = (nanoseconds) => Number((nanoseconds / 1e6).toFixed(2));

const report = (happened) => {
  const { count, mean, max } = delay;
  const row = {
    happened,
    samples: count,
    mean: ms(mean),
    p50: ms(delay.percentile(50)),
    max: ms(max),
  };
  console.log(
    JSON.stringify({ ...row, "max − resolution": Number((row.max - RESOLUTION_MS).toFixed(2)) }),
  );
};

delay.enable();
await sleep(100); // the first interval holds the start of the process
delay.reset();
await sleep(500);
report("nothing");

delay.reset();
await sleep(200);
busy(100);
await sleep(200);
report("blocked for 100 ms");

await sleep(100);
delay.reset();
busy(100);
await sleep(400);
report("reset(), then blocked for 100 ms");
