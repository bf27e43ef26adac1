export function withTimeout(work, ms) {
  const controller = new AbortController();
  const doing = work(controller.signal);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" }));
      controller.abort();
    }, ms);
    const ends = (settle) => (outcome) => {
      clearTimeout(timer);
      settle(outcome);
    };
    doing.then(ends(resolve), ends(reject));
  });
}
