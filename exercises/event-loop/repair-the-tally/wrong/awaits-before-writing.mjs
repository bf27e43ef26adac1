export function tally(weigh) {
  const sums = new Map();
  const save = async (name, sum) => {
    await null; // one day this writes to a disk
    sums.set(name, sum);
  };
  async function vote(ballot) {
    const { name, weight } = await weigh(ballot);
    const sum = (sums.get(name) ?? 0) + weight;
    await save(name, sum);
    return sum;
  }
  return { vote, sum: (name) => sums.get(name) ?? 0 };
}
