export async function mapLimit(items, p, fn) {
  const { signal } = new AbortController();
  const results = new Array(items.length);
  let next = 0;
  async function worker() {
    while (next < items.length) {
      const index = next++;
      results[index] = await fn(items[index], index, signal);
    }
  }
  await Promise.all(Array.from({ length: p }, worker));
  return results;
}
