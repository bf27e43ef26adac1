export function inBatches(fetchMany) {
  let waiting = [];
  function flush() {
    const batch = waiting;
    waiting = [];
    new Promise((resolve) => resolve(fetchMany([...new Set(batch.map(({ key }) => key))]))).then(
      (found) => {
        for (const { key, resolve } of batch) resolve(found.get(key));
      },
      (error) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ key, resolve, reject }) === 1) process.nextTick(flush);
    });
}
