export function limiter(n) {
  const waiting = [];
  let busy = 0;

  const next = async () => {
    if (busy >= n || waiting.length === 0) return;
    const { job, resolve, reject } = waiting.pop();
    busy++;
    try {
      resolve(await job());
    } catch (error) {
      reject(error);
    } finally {
      busy--;
      next();
    }
  };

  return function run(job) {
    return new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      next();
    });
  };
}
