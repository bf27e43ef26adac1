export function limiter(n) {
  const waiting = [];
  let busy = 0;
  const next = () => {
    if (busy >= n || waiting.length === 0) return;
    const { job, resolve, reject } = waiting.shift();
    busy++;
    let promise;
    try {
      promise = Promise.resolve(job());
    } catch (error) {
      return reject(error);
    }
    promise.then(resolve, reject).finally(() => {
      busy--;
      next();
    });
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      next();
    });
}
