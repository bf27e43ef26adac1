import { setTimeout as wait } from "node:timers/promises";

const EVERY = 20; // one in twenty is slow: p99 is one of them, p90 is not

export function shaped(mean) {
  const fast = Math.floor(mean / 2);
  let requests = 0;
  return async (_request, response) => {
    requests += 1;
    if (requests % EVERY === 0) return;
    await wait(fast);
    response.end("found\n");
  };
}
