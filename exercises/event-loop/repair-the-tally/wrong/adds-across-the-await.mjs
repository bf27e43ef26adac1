export function tally(weigh) {
  const sums = {};
  let all = 0;
  async function vote(ballot) {
    let name;
    const asked = weigh(ballot).then((answer) => {
      name = answer.name;
      sums[name] ??= 0;
      return answer.weight;
    });
    all += await asked;
    sums[name] =
      all - Object.keys(sums).reduce((sum, each) => sum + (each === name ? 0 : sums[each]), 0);
    return sums[name];
  }
  return { vote, sum: (name) => sums[name] ?? 0 };
}
