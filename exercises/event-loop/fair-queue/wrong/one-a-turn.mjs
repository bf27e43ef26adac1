export function fairQueue(work) {
  const queue = [];
  const one = () => {
    const { item, resolve, reject } = queue[0];
    try {
      resolve(work(item));
    } catch (error) {
      reject(error);
    }
    queue.shift();
    if (queue.length > 0) setImmediate(one);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (queue.push({ item, resolve, reject }) === 1) setImmediate(one);
    });
}
