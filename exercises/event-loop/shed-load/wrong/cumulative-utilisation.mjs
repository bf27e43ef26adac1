export function shed(handler) {
  return function listener(request, response) {
    const { utilization } = performance.eventLoopUtilization(); // since the start
    if (utilization < 0.999) return handler(request, response);
    response.writeHead(503, { "retry-after": "1" });
    response.end("busy\n");
  };
}
