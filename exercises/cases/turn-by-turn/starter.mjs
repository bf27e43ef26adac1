// The formula from the page. It counts only first requests, in whole numbers or not.
export function lost(c, R, S, T) {
  return c - T / (R * S);
}
