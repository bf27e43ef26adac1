import { on } from "node:events";

export function latest(emitter, name) {
  const events = on(emitter, name);
  return {
    dropped: 0,
    async next() {
      const { value, done } = await events.next();
      return { value: value?.[0], done };
    },
    return: () => events.return(),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
