export const at = globalThis.hops();
