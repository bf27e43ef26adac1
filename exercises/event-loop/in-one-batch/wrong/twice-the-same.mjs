export function inBatches(fetchMany) {
  let asked = null;
  return async function get(key) {
    if (asked === null) {
      const keys = [];
      const found = new Promise((resolve) => setImmediate(resolve)).then(() => {
        asked = null;
        return fetchMany(keys);
      });
      asked = { keys, found };
    }
    asked.keys.push(key);
    return (await asked.found).get(key);
  };
}
