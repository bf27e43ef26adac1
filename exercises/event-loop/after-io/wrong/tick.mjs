export function afterIO(fn, ...given) {
  let cancelled = false;
  process.nextTick(() => {
    if (!cancelled) fn(...given);
  });
  return () => {
    cancelled = true;
  };
}
