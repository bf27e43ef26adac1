// summary. Fills the heap until nothing fits.
const kept = [];
for (;;) kept.push(new Array(10_000).fill(kept.length));
