export function inBatches(fetchMany) {
  let waiting = [];
  let busy = false;
  async function flush() {
    const batch = waiting;
    waiting = [];
    try {
      const found = await fetchMany([...new Set(batch.map(({ key }) => key))]);
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    busy = waiting.length > 0;
    if (busy) setImmediate(flush);
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (busy) return;
      busy = true;
      setImmediate(flush);
    });
}
