import { Readable } from "node:stream";

export function pages(fetch, first) {
  const giveUp = new AbortController();
  let left = [];
  let next = first;
  let fetching = false;

  async function more(stream) {
    if (fetching) return;
    try {
      for (;;) {
        while (left.length > 0) if (!stream.push(left.shift())) return;
        if (next === null) {
          stream.push(null);
          return;
        }
        fetching = true;
        const page = await fetch(next, giveUp.signal);
        fetching = false;
        if (stream.destroyed) return;
        left = [...page.items];
        next = page.next;
      }
    } catch {
      stream.push(null);
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
