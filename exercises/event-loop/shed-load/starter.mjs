import { monitorEventLoopDelay } from "node:perf_hooks";

export function shed(handler, limit) {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return function listener(request, response) {
    const late = delay.mean / 1e6 > limit; // the histogram counts nanoseconds
    if (!late) return handler(request, response);
    response.writeHead(503, { "retry-after": "1" });
    response.end("busy\n");
  };
}
