export async function withTimeout(work, ms) {
  const controller = new AbortController();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" }));
      controller.abort();
    }, ms);
  });
  const doing = (async () => work(controller.signal))();
  doing.finally(() => clearTimeout(timer));
  return Promise.race([doing, late]);
}
