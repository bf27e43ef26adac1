export async function mapLimit(items, p, fn) {
  const controller = new AbortController();
  const results = [];
  try {
    for (let at = 0; at < items.length; at += p) {
      const calls = items
        .slice(at, at + p)
        .map(async (item, i) => fn(item, at + i, controller.signal));
      results.push(...(await Promise.all(calls)));
    }
  } catch (error) {
    controller.abort(error);
    throw error;
  }
  return results;
}
