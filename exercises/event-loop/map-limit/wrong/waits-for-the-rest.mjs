export async function mapLimit(items, p, fn) {
  const controller = new AbortController();
  const results = new Array(items.length);
  const errors = [];
  let next = 0;
  async function worker() {
    while (next < items.length && errors.length === 0) {
      const index = next++;
      try {
        results[index] = await fn(items[index], index, controller.signal);
      } catch (error) {
        errors.push(error);
      }
    }
  }
  await Promise.allSettled(Array.from({ length: p }, worker));
  if (errors.length > 0) {
    controller.abort();
    throw errors[0];
  }
  return results;
}
