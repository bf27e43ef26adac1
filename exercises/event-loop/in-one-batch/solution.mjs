export function inBatches(fetchMany) {
  let asked = null; // this turn's keys, and the promise of their values

  return async function get(key) {
    if (asked === null) {
      const keys = new Set();
      // The check phase follows the poll phase, so all connections that were ready have asked by then.
      const found = new Promise((resolve) => setImmediate(resolve)).then(() => {
        asked = null;
        return fetchMany([...keys]);
      });
      asked = { keys, found };
    }
    asked.keys.add(key);
    return (await asked.found).get(key);
  };
}
