export function fairQueue(work, budget) {
  const queue = [];
  const slice = () => {
    const begin = performance.now();
    while (queue.length > 0 && performance.now() - begin < budget) {
      const { item, resolve, reject } = queue.shift();
      try {
        resolve(work(item));
      } catch (error) {
        reject(error);
      }
    }
    waiting = queue.length > 0;
    if (waiting) setTimeout(slice, 5);
  };
  let waiting = false;
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!waiting) setTimeout(slice, 5);
      waiting = true;
    });
}
