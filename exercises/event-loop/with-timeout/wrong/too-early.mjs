export async function withTimeout(work, ms) {
  const controller = new AbortController();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      const error = Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" });
      reject(error); // first, so that work's answer to the abort comes second
      controller.abort(error);
    }, ms / 4);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
