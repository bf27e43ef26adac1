export function cached(fetch) {
  const known = new Map();
  return function lookup(key, callback) {
    if (known.has(key)) {
      process.nextTick(callback, null, known.get(key));
      return;
    }
    fetch(key, (error, value) => {
      if (!error) known.set(key, value);
      // A fetch may answer at once, too: who calls us need not care.
      process.nextTick(callback, error, value);
    });
  };
}
