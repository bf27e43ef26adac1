export function afterIO(fn, ...given) {
  const immediate = setImmediate(fn, ...given);
  return function cancel() {
    clearImmediate(immediate);
  };
}
