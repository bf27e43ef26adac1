export function cached(fetch) {
  const known = new Map();
  const tell = (callback, error, value) =>
    process.nextTick(() => {
      try {
        callback(error, value);
      } catch (thrown) {
        callback(thrown);
      }
    });
  return function lookup(key, callback) {
    if (known.has(key)) return tell(callback, null, known.get(key));
    fetch(key, (error, value) => {
      if (!error) known.set(key, value);
      tell(callback, error, value);
    });
  };
}
