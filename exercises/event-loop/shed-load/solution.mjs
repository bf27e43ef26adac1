const EVERY_MS = 20; // between two readings of the clock
const REMEMBERED_MS = 350;

export function shed(handler, limit) {
  let due = performance.now() + EVERY_MS;
  let lateAt = Number.NEGATIVE_INFINITY;

  // The probe measures how late its timer is. Timers run before the next poll phase, so it knows before any request.
  const probe = setInterval(() => {
    const now = performance.now();
    if (now - due > limit) lateAt = now;
    due = now + EVERY_MS;
  }, EVERY_MS);
  probe.unref();

  return function listener(request, response) {
    if (performance.now() - lateAt > REMEMBERED_MS) return handler(request, response);
    response.writeHead(503, { "retry-after": "1" });
    response.end("busy\n");
  };
}
