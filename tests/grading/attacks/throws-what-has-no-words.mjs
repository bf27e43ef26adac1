// summary. Throws what cannot be turned into a text, where nobody waits for it, so that who judges stumbles over it.
setTimeout(() => {
  throw { toString: null, valueOf: null };
}, 1);
await new Promise((resolve) => setTimeout(resolve, 100));
export const summary = () => ({});
