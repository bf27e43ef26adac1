export async function mapLimit(items, p, fn) {
  const controller = new AbortController();
  const results = [];
  let next = 0;
  async function worker() {
    while (next < items.length && !controller.signal.aborted) {
      const index = next++;
      results.push(await fn(items[index], index, controller.signal));
    }
  }
  try {
    await Promise.all(Array.from({ length: p }, worker));
  } catch (error) {
    controller.abort(error);
    throw error;
  }
  return results;
}
