const LEAST = 1.01;

function bound({ demand, elsewhere, threads }, connections) {
  const limits = [connections / (demand + elsewhere), 1 / demand];
  if (threads > 0) limits.push(1 / elsewhere);
  return Math.min(...limits);
}

export function worth(server, changes, connections) {
  const before = bound(server, connections);
  const gains = {};
  let best = null;
  for (const [name, change] of Object.entries(changes)) {
    gains[name] = bound({ ...server, ...change }, connections) / before;
    if (gains[name] >= (best === null ? LEAST : gains[best])) best = name;
  }
  return { gains, best };
}
