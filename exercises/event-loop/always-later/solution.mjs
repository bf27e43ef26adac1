export function cached(fetch) {
  const known = new Map();
  return function lookup(key, callback) {
    if (known.has(key)) {
      process.nextTick(callback, null, known.get(key));
      return;
    }
    fetch(key, (error, value) => {
      if (!error) known.set(key, value);
      // Even if fetch answers at once, the callback runs after lookup has returned.
      process.nextTick(callback, error, value);
    });
  };
}
