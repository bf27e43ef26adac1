export async function mapLimit(items, p, fn) {
  const controller = new AbortController();
  const { signal } = controller;
  const results = new Array(items.length);
  let next = 0;

  // Takes one item after another. Between the look at `next` and its change stands no await, so no item is taken twice.
  async function worker() {
    while (next < items.length && !signal.aborted) {
      const index = next++;
      results[index] = await fn(items[index], index, signal);
    }
  }

  try {
    // Promise.all handles the rejection of every worker, also of those that fail after the first.
    await Promise.all(Array.from({ length: Math.min(p, items.length) }, worker));
  } catch (error) {
    controller.abort(error);
    throw error;
  }
  return results;
}
