export function afterIO(fn, ...given) {
  const immediate = setImmediate(fn, ...given).unref();
  return () => clearImmediate(immediate);
}
