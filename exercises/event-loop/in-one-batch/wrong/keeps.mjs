export function inBatches(fetchMany) {
  const known = new Map();
  let asked = null;
  return async function get(key) {
    if (known.has(key)) return known.get(key);
    if (asked === null) {
      const keys = new Set();
      const found = new Promise((resolve) => setImmediate(resolve)).then(() => {
        asked = null;
        return fetchMany([...keys]);
      });
      asked = { keys, found };
    }
    asked.keys.add(key);
    const value = (await asked.found).get(key);
    known.set(key, value);
    return value;
  };
}
