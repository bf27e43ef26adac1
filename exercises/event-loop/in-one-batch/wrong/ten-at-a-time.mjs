export function inBatches(fetchMany) {
  let asked = null;
  function flush(mine) {
    if (asked === mine) asked = null;
    mine.resolve(new Promise((resolve) => resolve(fetchMany([...mine.keys]))));
  }
  return async function get(key) {
    if (asked === null) {
      const mine = { keys: new Set() };
      mine.found = new Promise((resolve) => {
        mine.resolve = resolve;
      });
      mine.immediate = setImmediate(flush, mine);
      asked = mine;
    }
    const { keys, found, immediate } = asked;
    keys.add(key);
    if (keys.size === 10) {
      clearImmediate(immediate);
      flush(asked);
    }
    return (await found).get(key);
  };
}
