export function late(looks, resolution, limit) {
  if (looks.length < 2) return { longest: null, meanWait: null, share: null };
  const blocks = looks.slice(1).map((look, i) => Math.max(0, look - looks[i] - resolution));
  const sum = (list) => list.reduce((total, x) => total + x, 0);
  const all = looks.at(-1) - looks[0];
  return {
    longest: Math.max(...blocks),
    meanWait: sum(blocks.map((block) => block ** 2 / 2)) / all,
    share: sum(blocks.map((block) => Math.max(0, block - limit))) / all,
  };
}
