import { setTimeout as pause } from "node:timers/promises";

export function server(wait, compute) {
  return async function handle(request) {
    const data = await wait(request);
    await pause(Math.random() * 90);
    return compute(data);
  };
}
