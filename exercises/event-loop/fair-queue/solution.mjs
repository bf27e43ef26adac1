export function fairQueue(work, budget) {
  const queue = [];
  let next = 0; // everything before it is done: shift() would move the rest each time

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
      // The first one starts the work; while a slice runs, or waits for its turn, the queue is not empty.
      if (queue.push({ item, resolve, reject }) === 1) setImmediate(slice);
    });
  };
}
