export function inBatches(fetchMany) {
  let asked = null; // of this turn: the keys, and the promise of what is found

  return async function get(key) {
    if (asked === null) {
      const keys = new Set();
      // Check comes right behind poll: whoever was ready in this turn has asked by then.
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
