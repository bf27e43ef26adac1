export function afterIO(fn, ...given) {
  process.nextTick(fn, ...given);
  return function cancel() {};
}
