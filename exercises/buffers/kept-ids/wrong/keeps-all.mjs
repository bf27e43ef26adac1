export function recent(count) {
  const ids = [];
  return {
    add(chunk) {
      const id = Buffer.alloc(Math.min(16, chunk.length));
      chunk.copy(id);
      ids.push(id);
    },
    list: () => ids.slice(-count),
  };
}
