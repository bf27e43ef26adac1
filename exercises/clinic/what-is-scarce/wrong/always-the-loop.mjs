export function read({ alone, perSecond, processes }) {
  const limit = (processes * 1000) / alone.loopMs;
  const knee = (processes * alone.ms) / alone.loopMs;
  return { limit, knee, scarce: perSecond < limit / 2 ? "something else" : "loop" };
}
