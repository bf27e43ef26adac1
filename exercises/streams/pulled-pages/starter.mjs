import { Readable } from "node:stream";

export function pages(fetch, first) {
  const stream = new Readable({ objectMode: true, highWaterMark: 4, read() {} });
  const all = async () => {
    for (let page = first; page !== null; ) {
      const { items, next } = await fetch(page);
      for (const item of items) stream.push(item);
      page = next;
    }
    stream.push(null);
  };
  all();
  return stream;
}
