export function cached(fetch) {
  const known = new Map();
  return function lookup(key, callback) {
    if (known.has(key)) return callback(null, known.get(key));
    fetch(key, (error, value) => {
      if (error) return callback(error);
      known.set(key, value);
      callback(null, value);
    });
  };
}
