export function inBatches(fetchMany) {
  let asked = null;
  return async function get(key) {
    if (asked === null) {
      const keys = new Set();
      const found = Promise.resolve().then(() => {
        asked = null;
        return fetchMany([...keys]);
      });
      asked = { keys, found };
    }
    asked.keys.add(key);
    return (await asked.found).get(key);
  };
}
