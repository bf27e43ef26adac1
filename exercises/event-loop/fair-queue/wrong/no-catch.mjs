export function fairQueue(work, budget) {
  const queue = [];
  let waiting = false;
  const slice = () => {
    const begin = performance.now();
    while (queue.length > 0 && performance.now() - begin < budget) {
      const { item, resolve } = queue.shift();
      resolve(work(item));
    }
    waiting = queue.length > 0;
    if (waiting) setImmediate(slice);
  };
  return (item) =>
    new Promise((resolve) => {
      queue.push({ item, resolve });
      if (!waiting) setImmediate(slice);
      waiting = true;
    });
}
