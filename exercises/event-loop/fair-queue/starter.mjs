export function fairQueue(work, budget) {
  const queue = [];
  let running = false;
  async function run() {
    running = true;
    await null;
    let begin = performance.now();
    while (queue.length > 0) {
      const { item, resolve, reject } = queue.shift();
      try {
        resolve(work(item));
      } catch (error) {
        reject(error);
      }
      if (performance.now() - begin >= budget) {
        await null; // yields
        begin = performance.now();
      }
    }
    running = false;
  }
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (!running) run();
    });
}
