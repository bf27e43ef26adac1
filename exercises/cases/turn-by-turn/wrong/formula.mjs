export function lost(c, R, S, T) {
  return Math.max(0, Math.round(c - T / (R * S)));
}
