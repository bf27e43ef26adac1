import { setTimeout as wait } from "node:timers/promises";

export function shaped(mean) {
  return async (_request, response) => {
    await wait(6 * mean);
    response.end("found\n");
  };
}
