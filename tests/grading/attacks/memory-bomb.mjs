// summary. Takes memory that the limit of the heap does not count.
const kept = [];
for (let i = 0; i < 400; i++) {
  kept.push(Buffer.alloc(16 << 20, 1));
  await new Promise((resolve) => setTimeout(resolve, 5));
}
export const summary = () => ({ kept: kept.length });
