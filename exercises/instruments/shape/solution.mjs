import { setTimeout as wait } from "node:timers/promises";

const EVERY = 20; // one request in twenty is slow, so the p99 is a slow one, and the p90 isn't

export function shaped(mean) {
  const fast = Math.floor(mean / 2);
  const slow = EVERY * mean - (EVERY - 1) * fast;
  let requests = 0;
  return async (_request, response) => {
    requests += 1;
    await wait(requests % EVERY === 0 ? slow : fast);
    response.end("found\n");
  };
}
