// storm.mjs SECONDS ATTEMPTS WAY…: 40 calls a second to a server that can answer 100, and does nothing for the second from 1 to 2. A call
// gives up on an attempt after 300 ms. How many calls succeed, and how many requests come, in each quarter of a second?
import { Agent, get } from "node:http";
import { setTimeout as after } from "node:timers/promises";
import { print } from "../../streams/shared/asking.mjs";
import { far } from "./_far.mjs";

const [seconds, attempts, ...names] = process.argv.slice(2);
const ATTEMPTS = Number(attempts);
const END_MS = 1000 * Number(seconds);
const CALLS_PER_S = 40;
const SERVICE_MS = 10;
const PATIENCE_MS = 300;
const STALL = { from: 1000, to: 2000 };
const BIN_MS = 250;

/** One request at a time, the oldest first, also if its client has left. */
const oneAtATime = (clock) => {
  let free = 0; // when the server has done all that came
  return async (_request, response) => {
    let start = Math.max(clock(), free);
    if (start >= STALL.from && start < STALL.to) start = STALL.to;
    free = start + SERVICE_MS;
    await after(free - clock());
    response.end("done\n");
  };
};

const pauses = {
  "no retry": () => undefined,
  "at once": (retry) => (retry < ATTEMPTS ? 0 : undefined),
  backoff: (retry) => (retry < ATTEMPTS ? 100 * 2 ** retry : undefined),
  "backoff and jitter": (retry) =>
    retry < ATTEMPTS ? Math.random() * 200 * 2 ** retry : undefined,
};
// end of the pauses

/** At most one retry for ten calls, all clients together. */
const budget = () => {
  let left = 10;
  return {
    call: () => (left = Math.min(10, left + 0.1)),
    take: () => {
      const isLeft = left >= 1;
      if (isLeft) left -= 1;
      return isLeft;
    },
  };
};

const storm = async (name) => {
  const began = performance.now();
  const clock = () => performance.now() - began;
  const counts = { come: [], done: [], lateMs: 0 }; // late: a machine that has other work
  const count = (which) => {
    const bin = Math.floor(clock() / BIN_MS);
    counts[which][bin] = (counts[which][bin] ?? 0) + 1;
  };
  const serve = oneAtATime(clock);
  const { url } = await far((request, response) => {
    count("come");
    serve(request, response);
  });
  const agent = new Agent({ keepAlive: true });
  const tokens = budget();
  const isBudgeted = name === "with a budget";
  const pause = pauses[isBudgeted ? "backoff and jitter" : name];
  const attempt = () =>
    new Promise((resolve) => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const request = get(url, { agent, signal }, (response) => {
        response.on("end", () => resolve(true)).on("error", () => resolve(false));
        response.resume();
      });
      request.on("error", () => resolve(false));
    });
  const call = async () => {
    tokens.call();
    for (let retry = 1; !(await attempt()); retry++) {
      const ms = pause(retry);
      if (ms === undefined || (isBudgeted && !tokens.take())) return;
      if (ms > 0) await after(ms);
    }
    count("done");
  };
  for (let n = 0; clock() < END_MS; n++) {
    call();
    const next = ((n + 1) * 1000) / CALLS_PER_S;
    await after(Math.max(0, next - clock()));
    counts.lateMs = Math.max(counts.lateMs, clock() - next);
  }
  return counts;
};

const all = await Promise.all(names.map(storm));
for (const [at, name] of names.entries())
  for (let bin = 0; bin < END_MS / BIN_MS; bin++) {
    const per = (which) => ((all[at][which][bin] ?? 0) * 1000) / BIN_MS;
    print({
      clients: name,
      "time (s)": ((bin + 0.5) * BIN_MS) / 1000,
      "requests per second": per("come"),
      "successes per second": per("done"),
      "latest call (ms)": all[at].lateMs,
    });
  }
process.exit();
