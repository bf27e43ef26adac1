// Loaded before the copies of a Node whose clock is held are made: what the programs share. What a
// program loads takes time, and no time passes there, so the programs print the same without it.
for (const name of [
  "events",
  "timers/promises",
  "fs",
  "async_hooks",
  "stream",
  "stream/promises",
  "stream/web",
])
  require(`node:${name}`);
for (const name of [
  "AbortController",
  "AbortSignal",
  "Event",
  "EventTarget",
  "MessageChannel",
  "ReadableStream",
])
  Reflect.get(globalThis, name);
console.log();
