import { setImmediate as turn } from "node:timers/promises";

export function tally(weigh) {
  const sums = new Map();
  async function vote(ballot) {
    const { name, weight } = await weigh(ballot);
    sums.set(name, (sums.get(name) ?? 0) + weight);
    await turn();
    return sums.get(name);
  }
  return { vote, sum: (name) => sums.get(name) ?? 0 };
}
