export function afterIO(fn, ...given) {
  const timer = setTimeout(fn, 0, ...given);
  return () => clearTimeout(timer);
}
