import { setImmediate as turn } from "node:timers/promises";

export function server(wait, compute) {
  return async function handle(request) {
    const data = await wait(request);
    await turn();
    return compute(data);
  };
}
