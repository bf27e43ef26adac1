export function createPool(connect, P, { patience = Number.POSITIVE_INFINITY } = {}) {
  if (!(P >= 1 && patience > 0)) throw new RangeError("P must be 1 or more, patience above 0");
  return async function withClient(fn) {
    const client = await connect();
    return fn(client);
  };
}
