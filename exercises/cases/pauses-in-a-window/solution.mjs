export function pauses(entries, from, to) {
  const inside = ({ startTime, duration }) =>
    Math.min(startTime + duration, to) - Math.max(startTime, from);
  const collections = entries.filter((entry) => inside(entry) > 0);
  const scavenges = collections.filter(({ detail }) => detail.kind === 1).length;
  const taken = collections.reduce((sum, entry) => sum + inside(entry), 0);
  return {
    share: taken / (to - from),
    longest: Math.max(0, ...collections.map(({ duration }) => duration)),
    scavenges,
    others: collections.length - scavenges,
  };
}
