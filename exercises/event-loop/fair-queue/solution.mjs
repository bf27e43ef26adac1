export function fairQueue(work, budget) {
  const queue = [];
  let next = 0; // all items before it are done. shift() would move the remaining items each time.

  function slice() {
    const begin = performance.now();
    do {
      const { item, resolve, reject } = queue[next];
      queue[next++] = undefined;
      try {
        resolve(work(item));
      } catch (error) {
        reject(error);
      }
    } while (next < queue.length && performance.now() - begin < budget);
    if (next < queue.length) {
      setImmediate(slice);
    } else {
      queue.length = next = 0;
    }
  }

  return function add(item) {
    return new Promise((resolve, reject) => {
      // Only the first item schedules a slice, because the queue isn't empty while a slice runs or waits.
      if (queue.push({ item, resolve, reject }) === 1) setImmediate(slice);
    });
  };
}
