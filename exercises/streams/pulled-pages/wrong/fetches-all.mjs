import { Readable } from "node:stream";

export function pages(fetch, first) {
  const giveUp = new AbortController();
  let left = [];
  let next = first;
  let begun = false;

  async function more(stream) {
    if (begun) return;
    begun = true;
    try {
      for (;;) {
        while (left.length > 0) stream.push(left.shift());
        if (next === null) {
          stream.push(null);
          return;
        }
        const page = await fetch(next, giveUp.signal);
        if (stream.destroyed) return;
        left = [...page.items];
        next = page.next;
      }
    } catch (error) {
      stream.destroy(error);
    }
  }

  return new Readable({
    objectMode: true,
    highWaterMark: 4,
    read() {
      more(this);
    },
    destroy(error, done) {
      giveUp.abort();
      done(error);
    },
  });
}
