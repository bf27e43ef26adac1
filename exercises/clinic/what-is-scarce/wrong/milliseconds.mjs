export function read({ alone, clients, perSecond, processes }) {
  const limit = processes / alone.loopMs;
  const asked = (clients * 1000) / alone.ms; // as many as they can ask for, if none of them waits
  const knee = (processes * alone.ms) / alone.loopMs;
  if (perSecond < Math.min(limit, asked) / 2) return { limit, knee, scarce: "something else" };
  return { limit, knee, scarce: asked < limit ? "clients" : "loop" };
}
