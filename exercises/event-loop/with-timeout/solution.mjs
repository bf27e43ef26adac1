export async function withTimeout(work, ms) {
  const controller = new AbortController();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      const error = Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" });
      reject(error); // before abort, so that an error of work can't be first
      controller.abort(error);
    }, ms);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
