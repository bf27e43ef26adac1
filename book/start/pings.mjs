// Asks node/ping for a hash and, a little later, for one ping after the other until the hash is there. Says of each try
// how long the first ping waited and how many pings the server has answered meanwhile, by its own count.
import { Agent, get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const { SERVER_URL, LAB_PROFILE = "course" } = process.env;
const TRIES = { smoke: 1, course: 4, reference: 10 }[LAB_PROFILE];
const AFTER_MS = 100;

const kept = () => new Agent({ keepAlive: true, maxSockets: 1 });
const [hashes, pings] = [kept(), kept()];
const ask = (path, agent) =>
  new Promise((resolve, reject) => {
    get(`${SERVER_URL}${path}`, { agent }, async (response) => {
      resolve((await response.setEncoding("utf8").toArray()).join(""));
    }).on("error", reject);
  });

let answered = 0;
const ping = async () => {
  const from = performance.now();
  await ask("/ping", pings);
  answered += 1;
  return performance.now() - from;
};
const hash = async () => (await ask("/", hashes)).match(/\d+/g).map(Number);

// Both connections are open before anything counts, and the client is warm.
for (let i = 0; i < 200; i++) await ping();
let [hashed] = await hash();

for (let i = 0; i < TRIES; i++) {
  const before = { hashed, answered };
  let done = false;
  const hashing = hash().finally(() => {
    done = true;
  });
  await wait(AFTER_MS);
  const waitMs = await ping();
  while (!done) await ping();
  const [hashesSoFar, pingsSoFar] = await hashing;
  hashed = hashesSoFar;
  const counts = { pings: pingsSoFar - before.answered, hashes: hashed - before.hashed };
  console.log(JSON.stringify({ waitMs, ...counts }));
}
hashes.destroy();
pings.destroy();
