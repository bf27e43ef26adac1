export function diagnose(sheet) {
  if (sheet.busy > 0.9) return { illness: "blocked loop", evidence: "busy" };
  if (sheet.pool >= 10) return { illness: "starved pool", evidence: "pool" };
  return { illness: "healthy", evidence: null };
}
