export async function mapLimit(items, p, fn) {
  const { signal } = new AbortController();
  const results = [];
  for (let at = 0; at < items.length; at += p) {
    const batch = items.slice(at, at + p);
    results.push(...(await Promise.all(batch.map((item, i) => fn(item, at + i, signal)))));
  }
  return results;
}
