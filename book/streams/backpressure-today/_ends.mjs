// The two ends that the programs of this page join: a source that makes a chunk whenever it is asked for one, and a consumer
// that takes ten of them, and no more.
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

export const CHUNKS = 1000;
export const TAKEN = 10;
export const SIZE = 65536;

const chunk = randomBytes(SIZE); // the same each time: what is counted here needs no memory

/** A source as a generator, a Readable or a ReadableStream, and how many chunks it has made. */
export function source() {
  let made = 0;
  const chunks = (function* () {
    while (made < CHUNKS) {
      made += 1;
      yield chunk;
    }
  })();
  return {
    made: () => made,
    chunks,
    node: () =>
      new Readable({
        highWaterMark: SIZE,
        read() {
          this.push(chunks.next().value ?? null);
        },
      }),
    web: () =>
      new ReadableStream({
        pull(controller) {
          const { value, done } = chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }),
  };
}

/** Takes a chunk. The tenth is one that it never finishes. */
export function eater() {
  let begun = 0;
  return async () => {
    begun += 1;
    if (begun === TAKEN) await new Promise(() => {});
  };
}

/** What `count` says when it has said the same for a quarter of a second. */
export async function still(count) {
  let last = await count();
  for (let looks = 0; looks < 5; looks += 1) {
    await sleep(50);
    const now = await count();
    if (now !== last) looks = -1;
    last = now;
  }
  return last;
}
