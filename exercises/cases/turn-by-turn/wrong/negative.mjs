export function lost(c, R, S, T) {
  return Math.ceil(c - T / (R * S));
}
