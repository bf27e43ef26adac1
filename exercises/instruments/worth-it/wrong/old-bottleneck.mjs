const LEAST = 1.01;

// Finds what holds the server back, and looks what each change does to that.
function bottleneck({ demand, elsewhere, threads }, connections) {
  const terms = [
    (one) => connections / (one.demand + one.elsewhere),
    (one) => 1 / one.demand,
    (one) => (one.threads > 0 ? one.threads / one.elsewhere : Number.POSITIVE_INFINITY),
  ];
  const server = { demand, elsewhere, threads };
  return terms.sort((a, b) => a(server) - b(server))[0];
}

export function worth(server, changes, connections) {
  const term = bottleneck(server, connections);
  const gains = {};
  let best = null;
  for (const [name, change] of Object.entries(changes)) {
    gains[name] = term({ ...server, ...change }) / term(server);
    if (gains[name] >= (best === null ? LEAST : gains[best])) best = name;
  }
  return { gains, best };
}
