export async function mapLimit(items, p, fn) {
  const controller = new AbortController();
  const results = [];
  const underWay = new Set();
  try {
    for (const [i, item] of items.entries()) {
      const call = (async () => {
        results[i] = await fn(item, i, controller.signal);
      })();
      underWay.add(call);
      call.finally(() => underWay.delete(call));
      if (underWay.size >= p) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  } catch (error) {
    controller.abort(error);
    throw error;
  }
  return results;
}
