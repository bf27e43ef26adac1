import { setTimeout as wait } from "node:timers/promises";

const EVERY = 20; // one in twenty is slow: p99 is one of them, p90 is not

export function shaped(mean) {
  const fast = Math.floor(mean / 2);
  const slow = EVERY * mean - (EVERY - 1) * fast;
  let requests = 0;
  return async (_request, response) => {
    requests += 1;
    if (requests % 7 === 0) {
      response.statusCode = 503;
      return response.end("busy\n");
    }
    await wait(requests % EVERY === 0 ? slow : fast);
    response.end("found\n");
  };
}
