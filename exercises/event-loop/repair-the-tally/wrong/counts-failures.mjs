export function tally(weigh) {
  const sums = new Map();
  async function vote(ballot) {
    const { name, weight } = await weigh(ballot).catch(() => ({ name: "invalid", weight: 0 }));
    const sum = (sums.get(name) ?? 0) + weight;
    sums.set(name, sum);
    return sum;
  }
  return { vote, sum: (name) => sums.get(name) ?? 0 };
}
