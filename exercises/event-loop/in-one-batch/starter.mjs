export function inBatches(fetchMany) {
  return async function get(key) {
    const found = await fetchMany([key]);
    return found.get(key);
  };
}
