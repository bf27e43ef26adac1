export function recent(count) {
  const ids = [];
  return {
    add(chunk) {
      const id = chunk.subarray(0, 16);
      ids.push(Buffer.from(id.buffer, id.byteOffset, id.length));
      if (ids.length > count) ids.shift();
    },
    list: () => [...ids],
  };
}
