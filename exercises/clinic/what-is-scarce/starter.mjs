export function read({ alone, clients, perSecond, processes }) {
  const limit = 1000 / alone.ms;
  const knee = clients;
  return { limit, knee, scarce: perSecond < limit * processes ? "something else" : "loop" };
}
