// The formula from the page. It counts only first requests, and its result need not be a whole number.
export function lost(c, R, S, T) {
  return c - T / (R * S);
}
