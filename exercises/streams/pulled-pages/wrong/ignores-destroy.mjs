import { Readable } from "node:stream";

export function pages(fetch, first) {
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
        const page = await fetch(next, new AbortController().signal);
        fetching = false;
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
  });
}
