export function tally(weigh) {
  const sums = new Map();
  let version = 0;
  async function vote(ballot) {
    for (;;) {
      const seen = version;
      const { name, weight } = await weigh(ballot);
      if (seen !== version) continue; // somebody has written meanwhile
      version += 1;
      sums.set(name, (sums.get(name) ?? 0) + weight);
      return sums.get(name);
    }
  }
  return { vote, sum: (name) => sums.get(name) ?? 0 };
}
