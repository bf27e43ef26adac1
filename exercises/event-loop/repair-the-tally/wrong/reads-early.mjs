export function tally(weigh) {
  const sums = new Map();
  async function vote(ballot) {
    const before = new Map(sums);
    const { name, weight } = await weigh(ballot);
    sums.set(name, (before.get(name) ?? 0) + weight);
    return sums.get(name);
  }
  return { vote, sum: (name) => sums.get(name) ?? 0 };
}
