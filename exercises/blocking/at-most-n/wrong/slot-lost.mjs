export function limiter(n) {
  const waiting = [];
  let busy = 0;
  const next = () => {
    if (busy >= n || waiting.length === 0) return;
    const { job, resolve, reject } = waiting.shift();
    busy++;
    Promise.resolve()
      .then(job)
      .then((value) => {
        busy--;
        resolve(value);
        next();
      })
      .catch(reject);
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      next();
    });
}
