// Talks to echo.mjs, one byte there and back at a time, and counts what comes back while the server calls itself.
import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

const FOR_MS = 200;
const AFTER_MS = 150;
const AROUND_MS = 50; // of the time before and after that is kept
const STEP_MS = 5;
const now = () => Number(process.hrtime.bigint()) / 1e6;
const hows = ["process.nextTick", "queueMicrotask", "await", "setImmediate", "setTimeout 0"];

let warm = false;
// The first time is for this client to get warm.
for (const how of ["nothing", "nothing", ...hows]) {
  const env = { ...process.env, HOW: how, AFTER_MS, FOR_MS };
  const server = fork(new URL("echo.mjs", import.meta.url), { env });
  const [{ port }] = await once(server, "message");
  const back = [];
  const client = connect(port, "127.0.0.1").setNoDelay(true);
  client.on("data", () => {
    back.push(now());
    client.write("x");
  });
  client.write("x");
  const [{ from, to, ...counts }] = await once(server, "message");
  await wait(AROUND_MS);
  client.destroy();
  server.disconnect();
  await once(server, "exit");

  const between = (a, b) => back.filter((t) => t > a && t <= b).length;
  const line = [];
  for (let ms = -AROUND_MS; ms <= to - from + AROUND_MS; ms += STEP_MS)
    line.push([ms, between(from - AROUND_MS, from + ms)]);
  const gaps = back.map((t, i) => t - (back[i - 1] ?? t));
  const longestMs = Math.max(...gaps.filter((_, i) => back[i] > from));
  const row = { how, forMs: to - from, roundTrips: between(from, to), longestMs, ...counts, line };
  if (warm) console.log(JSON.stringify(row));
  warm = true;
}
