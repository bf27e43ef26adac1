// Seven kinds of work, each given up 50 ms after it has begun. When is whoever waits for it told, and for how long does the
// work itself go on?
import { spawn } from "node:child_process";
import { pbkdf2 } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { print } from "../../streams/shared/asking.mjs";

const STEPS = 50; // of 10 ms each, where the work has steps
const AFTER_MS = 50;

/** Like `work`, for whoever waits; the work itself hears nothing. */
const raced = (work, signal) =>
  Promise.race([
    work,
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    ),
  ]);

const steps = async (looks) => {
  for (let i = 0; i < STEPS; i++) {
    looks?.throwIfAborted();
    await sleep(10);
  }
};
const compute = async (ms) => {
  await new Promise(setImmediate); // begins when all is set up
  for (const end = performance.now() + ms; performance.now() < end; );
};

// each says what to wait for, and what ends when the work ends
const kinds = {
  "a timer that has the signal": (signal) => {
    const work = sleep(STEPS * 10, undefined, { signal });
    return [work, work];
  },
  "steps that look at the signal": (signal) => {
    const work = steps(signal);
    return [work, work];
  },
  "steps that do not, in a race": (signal) => {
    const work = steps();
    return [raced(work, signal), work];
  },
  "a fetch that has the signal": async (signal) => {
    const server = createServer((_request, response) => {
      response.on("close", () => server.close());
      setTimeout(() => response.end(), STEPS * 10).unref();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const work = fetch(`http://127.0.0.1:${server.address().port}`, { signal });
    await once(server, "request"); // it is there before the signal is
    return [work, once(server, "close")];
  },
  "a child process that has it": (signal) => {
    const child = spawn("sleep", [String(STEPS / 100)], { signal });
    return [once(child, "exit"), new Promise((resolve) => child.on("close", resolve))];
  },
  "a hash in the pool, in a race": (signal) => {
    const work = promisify(pbkdf2)("", "", 600_000, 64, "sha512");
    return [raced(work, signal), work];
  },
  "a computation on the loop": (signal) => {
    const work = compute(STEPS * 10);
    return [work.then(() => signal.throwIfAborted()), work];
  },
};

for (const [what, begin] of Object.entries(kinds)) {
  const work = new AbortController();
  const begun = await begin(work.signal);
  const due = performance.now() + AFTER_MS;
  setTimeout(() => work.abort(), AFTER_MS);
  const since = async (promise) => {
    await promise.catch(() => {});
    return Math.max(0, Math.round(performance.now() - due));
  };
  const [told, over] = await Promise.all(begun.map(since));
  print({ what, "told after (ms)": told, "worked on for (ms)": over });
}
