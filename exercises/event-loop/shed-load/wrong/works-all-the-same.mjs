export function shed(handler, limit) {
  let due = performance.now() + 20;
  let lateAt = Number.NEGATIVE_INFINITY;
  setInterval(() => {
    const now = performance.now();
    if (now - due > limit) lateAt = now;
    due = now + 20;
  }, 20).unref();
  return function listener(request, response) {
    if (performance.now() - lateAt < 350) {
      response.statusCode = 503;
      response.setHeader("retry-after", "1");
    }
    handler(request, response);
  };
}
