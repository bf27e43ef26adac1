export async function mapLimit(items, p, fn) {
  const controller = new AbortController();
  const results = [];
  let next = 0;
  async function worker() {
    while (next < items.length && !controller.signal.aborted) {
      const index = next++;
      try {
        results.push(await fn(items[index], index, controller.signal));
      } catch (error) {
        controller.abort(error);
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: p }, worker));
  return results;
}
