export function cached(fetch) {
  return function lookup(key, callback) {
    fetch(key, (error, value) => process.nextTick(callback, error, value));
  };
}
