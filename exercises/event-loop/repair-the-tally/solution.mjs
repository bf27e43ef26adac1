export function tally(weigh) {
  const sums = new Map();
  async function vote(ballot) {
    const { name, weight } = await weigh(ballot);
    // No await from here on: read, add and write are one step.
    const sum = (sums.get(name) ?? 0) + weight;
    sums.set(name, sum);
    return sum;
  }
  return { vote, sum: (name) => sums.get(name) ?? 0 };
}
