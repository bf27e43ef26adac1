export async function withTimeout(work, ms) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    const value = await work(controller.signal);
    controller.signal.throwIfAborted();
    return value;
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    throw Object.assign(new Error(`not done within ${ms} ms`), { code: "ETIMEDOUT" });
  } finally {
    clearTimeout(timer);
  }
}
