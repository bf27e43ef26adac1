// Eight clients that want a hash each, one after another, and a ping every 5 ms that wants nothing from the pool.
import { once } from "node:events";
import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { contained } from "./_contained.mjs";

const SERVER = new URL("./_hashes.mjs", import.meta.url);
const CLIENTS = 8;
const WARM_MS = 400;
const MEASURED_MS = 1500;

export const measured = async ({ cpus, threads }) => {
  const { child, ended } = contained(SERVER, {
    cpus,
    env: { UV_THREADPOOL_SIZE: String(threads) },
  });
  const [port] = await Promise.race([
    once(child.stdout, "data"),
    ended.then(({ said }) => Promise.reject(new Error(said))),
  ]);
  const agent = new Agent({ keepAlive: true });
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const request = get({ port: Number(port), host: "127.0.0.1", path, agent }, (response) =>
        text(response).then(resolve, reject),
      );
      request.on("error", reject);
    });
  let open = true;
  let hashes = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (open) {
      await ask("/hash");
      hashes++;
    }
  });
  const pings = [];
  const ping = async () => {
    const from = performance.now();
    await ask("/");
    return performance.now() - from;
  };
  await sleep(WARM_MS);
  const before = JSON.parse(await ask("/counts"));
  const from = performance.now();
  const hashesBefore = hashes;
  while (performance.now() - from < MEASURED_MS) {
    pings.push(ping());
    await sleep(5);
  }
  const done = hashes - hashesBefore;
  const seconds = (performance.now() - from) / 1000;
  const after = JSON.parse(await ask("/counts"));
  open = false;
  const times = (await Promise.all(pings)).sort((a, b) => a - b);
  await Promise.all(clients);
  agent.destroy();
  child.kill();
  await ended;
  return {
    hashes: done / seconds,
    longestMs: after.longestMs,
    pingMs: times[Math.floor(times.length * 0.95)],
    periods: after.periods - before.periods,
    throttled: after.throttled - before.throttled,
  };
};
