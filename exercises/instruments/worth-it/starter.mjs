// server: { demand: 0.005, elsewhere: 0.045, threads: 4 }, changes: { "a bigger pool": { threads: 8 }, ... }
export function worth(server, changes, connections) {
  const gains = {};
  const before = server.demand + server.elsewhere;
  for (const [name, change] of Object.entries(changes)) {
    const { demand, elsewhere } = { ...server, ...change };
    gains[name] = before / (demand + elsewhere); // half the response time, twice the responses
  }
  return { gains, best: Object.keys(gains)[0] };
}
