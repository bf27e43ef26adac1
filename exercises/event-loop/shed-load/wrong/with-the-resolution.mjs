export function shed(handler, limit) {
  let last = performance.now();
  let lateAt = Number.NEGATIVE_INFINITY;
  setInterval(() => {
    const now = performance.now();
    if (now - last > limit) lateAt = now; // the time between two looks
    last = now;
  }, 150).unref();
  return function listener(request, response) {
    if (performance.now() - lateAt > 350) return handler(request, response);
    response.writeHead(503, { "retry-after": "1" });
    response.end("busy\n");
  };
}
