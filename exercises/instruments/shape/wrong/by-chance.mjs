import { setTimeout as wait } from "node:timers/promises";

const EVERY = 20; // one in twenty is slow: p99 is one of them, p90 is not

export function shaped(mean) {
  const fast = Math.floor(mean / 2);
  const slow = EVERY * mean - (EVERY - 1) * fast;
  return async (_request, response) => {
    await wait(Math.random() < 1 / EVERY ? slow : fast);
    response.end("found\n");
  };
}
