import { Readable } from "node:stream";

export function pages(fetch, first) {
  const giveUp = new AbortController();
  let left = [];
  let waiting = false;
  let ahead = fetch(first, giveUp.signal);
  ahead.catch(() => {});

  async function more(stream) {
    if (waiting) return;
    try {
      for (;;) {
        while (left.length > 0) if (!stream.push(left.shift())) return;
        if (ahead === null) {
          stream.push(null);
          return;
        }
        waiting = true;
        const page = await ahead;
        waiting = false;
        if (stream.destroyed) return;
        left = [...page.items];
        ahead = page.next === null ? null : fetch(page.next, giveUp.signal);
        ahead?.catch(() => {});
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
