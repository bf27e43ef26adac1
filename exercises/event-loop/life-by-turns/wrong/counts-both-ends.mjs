export function lives(events) {
  const arrivals = new Map(); // request: turn
  const alive = new Set();
  const lived = [];
  let most = 0;
  for (const { turn, request, callback } of events) {
    if (!arrivals.has(request)) {
      arrivals.set(request, turn);
      alive.add(request);
      most = Math.max(most, alive.size);
    }
    if (callback === "answered") {
      lived.push(turn - arrivals.get(request) + 1);
      alive.delete(request);
    }
  }
  lived.sort((a, b) => a - b);
  const turns = new Set(arrivals.values()).size;
  return {
    usual: lived.length > 0 ? lived[(lived.length - 1) >> 1] : null,
    perTurn: turns > 0 ? arrivals.size / turns : null,
    most,
  };
}
