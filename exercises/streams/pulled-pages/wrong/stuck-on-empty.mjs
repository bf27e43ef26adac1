import { Readable } from "node:stream";

export function pages(fetch, first) {
  const giveUp = new AbortController();
  let left = [];
  let next = first;

  const give = (stream) => {
    while (left.length > 0) if (!stream.push(left.shift())) return;
  };

  return new Readable({
    objectMode: true,
    highWaterMark: 4,
    read() {
      if (left.length > 0) return give(this);
      if (next === null) return this.push(null);
      fetch(next, giveUp.signal).then(
        (page) => {
          left = [...page.items];
          next = page.next;
          give(this);
        },
        (error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      giveUp.abort();
      next = null;
      done(error);
    },
  });
}
