export function withTimeout(work, ms) {
  const controller = new AbortController();
  const late = new Promise((_, reject) => {
    setTimeout(() => {
      reject(Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" }));
    }, ms);
  });
  return Promise.race([work(controller.signal), late]);
}
