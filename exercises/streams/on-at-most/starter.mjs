import { on } from "node:events";

export async function* latest(emitter, name) {
  for await (const [value] of on(emitter, name)) yield value;
}
