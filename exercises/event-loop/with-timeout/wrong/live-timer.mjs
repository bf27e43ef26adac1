export async function withTimeout(work, ms) {
  const controller = new AbortController();
  let done = false;
  const late = new Promise((_, reject) => {
    setTimeout(() => {
      if (done) return;
      reject(Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" }));
      controller.abort();
    }, ms);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    done = true;
  }
}
