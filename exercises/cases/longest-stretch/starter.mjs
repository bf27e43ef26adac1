export function stretches(looks, least) {
  return looks
    .map(({ ms, at }) => ({ from: 0, ms, worst: at, share: 1 }))
    .filter(({ ms, worst }) => ms >= least && worst !== "(idle)")
    .sort((a, b) => b.ms - a.ms);
}
