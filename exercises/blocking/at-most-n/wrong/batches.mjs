export function limiter(n) {
  const waiting = [];
  let working = false;
  const work = async () => {
    working = true;
    await null;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, n);
      await Promise.allSettled(
        batch.map(async ({ job, resolve, reject }) => {
          try {
            resolve(await job());
          } catch (error) {
            reject(error);
          }
        }),
      );
    }
    working = false;
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      if (!working) work();
    });
}
