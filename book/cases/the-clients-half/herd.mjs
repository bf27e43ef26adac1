// Forty clients call at the same moment a server that answers one request at a time, 10 ms each, and refuses all others at once. Each
// tries again until it is served. How many requests does that take, and how long, with backoff alone and with jitter?
import { Agent, get } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { far } from "./_far.mjs";

const CLIENTS = 40;
const SERVICE_MS = 10;
const LONGEST_MS = 160;
const longest = (retry) => Math.min(LONGEST_MS, 10 * 2 ** retry);
const ways = {
  backoff: (retry) => longest(retry),
  "backoff and jitter": (retry) => Math.random() * longest(retry),
};

const herd = async (pause) => {
  let isBusy = false;
  const { seen, url } = await far(async (_request, response) => {
    if (isBusy) return response.writeHead(503).end();
    isBusy = true;
    await after(SERVICE_MS);
    isBusy = false;
    response.end("done\n");
  });
  const agent = new Agent({ keepAlive: true });
  const attempt = () =>
    new Promise((resolve, reject) => {
      const request = get(url, { agent }, (response) =>
        response.resume().on("end", () => resolve(response.statusCode)),
      );
      request.on("error", reject);
    });
  const client = async () => {
    for (let retry = 1; (await attempt()) !== 200; retry++) await after(pause(retry));
  };
  const since = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { requests: seen.requests, "all served after (ms)": performance.now() - since };
};

for (const [clients, pause] of Object.entries(ways)) print({ clients, ...(await herd(pause)) });
process.exit();
