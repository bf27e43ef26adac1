const LIMIT = 10;
let waiting = 0;
let chain = Promise.resolve();

const write = () => new Promise((resolve) => setTimeout(resolve, 2));

// Entries are written one after the other. Too many at once means that the disk is in trouble.
export async function audit(entry) {
  if (waiting >= LIMIT) {
    throw new Error(`audit: ${waiting} entries are waiting, ${entry.number} was not written`);
  }
  waiting += 1;
  chain = chain.then(write);
  await chain;
  waiting -= 1;
}
