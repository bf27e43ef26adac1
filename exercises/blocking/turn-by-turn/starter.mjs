// The formula of the page. It counts first requests only, in whole numbers or not.
export function lost(c, R, S, T) {
  return c - T / (R * S);
}
