export function diagnose({ before, under }) {
  if (under.file >= 5 * before.file) return { illness: "starved pool", evidence: "file" };
  if (under.loop > 100) return { illness: "blocked loop", evidence: "loop" };
  return { illness: "healthy", evidence: null };
}
