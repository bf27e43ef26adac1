import { setTimeout as wait } from "node:timers/promises";

const EVERY = 20; // one in twenty is slow: p99 is one of them, p90 is not

export function shaped(mean) {
  const fast = mean;
  const slow = 10 * mean;
  let requests = 0;
  return async (_request, response) => {
    requests += 1;
    await wait(requests % EVERY === 0 ? slow : fast);
    response.end("found\n");
  };
}
