// looks: [0, 10, 20, 130, 140, ...] with a resolution of 10 means a block of 100 ms
export function late(looks, resolution, limit) {
  const gaps = looks.slice(1).map((look, i) => look - looks[i]);
  const sum = gaps.reduce((total, gap) => total + gap, 0);
  return {
    longest: Math.max(...gaps),
    meanWait: sum / gaps.length,
    share: gaps.filter((gap) => gap > limit).length / gaps.length,
  };
}
