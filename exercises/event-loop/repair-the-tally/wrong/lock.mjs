export function tally(weigh) {
  const sums = new Map();
  let last = Promise.resolve();
  async function count(ballot) {
    const { name, weight } = await weigh(ballot);
    sums.set(name, (sums.get(name) ?? 0) + weight);
    return sums.get(name);
  }
  function vote(ballot) {
    const mine = last.then(() => count(ballot));
    last = mine.catch(() => {});
    return mine;
  }
  return { vote, sum: (name) => sums.get(name) ?? 0 };
}
