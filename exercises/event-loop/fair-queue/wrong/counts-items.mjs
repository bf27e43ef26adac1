export function fairQueue(work) {
  const queue = [];
  const slice = () => {
    for (const { item, resolve, reject } of queue.splice(0, 100)) {
      try {
        resolve(work(item));
      } catch (error) {
        reject(error);
      }
    }
    waiting = queue.length > 0;
    if (waiting) setImmediate(slice);
  };
  let waiting = false;
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!waiting) setImmediate(slice);
      waiting = true;
    });
}
