// summary. Returns what a parser chokes on.
export const summary = () => {
  let deep = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  return { throughput: deep, mean: 10n ** 5000n, p50: "9".repeat(1_000_000) };
};
