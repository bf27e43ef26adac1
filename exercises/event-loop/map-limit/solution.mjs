export async function mapLimit(items, p, fn) {
  const controller = new AbortController();
  const { signal } = controller;
  const results = new Array(items.length);
  let next = 0;

  // Takes one item after another. There is no await between reading and changing `next`, so no item is taken twice.
  async function worker() {
    while (next < items.length && !signal.aborted) {
      const index = next++;
      try {
        results[index] = await fn(items[index], index, signal);
      } catch (error) {
        // Abort here, because another worker may take an item before Promise.all rejects.
        controller.abort(error);
        throw error;
      }
    }
  }

  // Promise.all handles the rejections of all workers, even after the first one.
  await Promise.all(Array.from({ length: Math.min(p, items.length) }, worker));
  return results;
}
