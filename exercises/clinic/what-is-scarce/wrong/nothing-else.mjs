export function read({ alone, clients, processes }) {
  const limit = (processes * 1000) / alone.loopMs;
  const knee = (processes * alone.ms) / alone.loopMs;
  return { limit, knee, scarce: clients < knee ? "clients" : "loop" };
}
