export async function withTimeout(work, ms) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" }));
    }, ms);
  });
  try {
    return await Promise.race([work(new AbortController().signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
