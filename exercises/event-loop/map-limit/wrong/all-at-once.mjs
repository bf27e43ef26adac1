export async function mapLimit(items, _p, fn) {
  const controller = new AbortController();
  try {
    return await Promise.all(items.map(async (item, i) => fn(item, i, controller.signal)));
  } catch (error) {
    controller.abort(error);
    throw error;
  }
}
