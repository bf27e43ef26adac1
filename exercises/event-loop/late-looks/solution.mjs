export function late(looks, resolution, limit) {
  if (looks.length < 2) return { longest: null, meanWait: null, share: null };
  let longest = 0;
  let waited = 0; // by all requests, if one arrives in each millisecond
  let unlucky = 0; // the milliseconds in which a request arrives that waits longer than the limit
  for (let i = 1; i < looks.length; i++) {
    const block = Math.max(0, looks[i] - looks[i - 1] - resolution);
    longest = Math.max(longest, block);
    waited += block ** 2 / 2;
    unlucky += Math.max(0, block - limit);
  }
  const all = looks.at(-1) - looks[0];
  return { longest, meanWait: waited / all, share: unlucky / all };
}
