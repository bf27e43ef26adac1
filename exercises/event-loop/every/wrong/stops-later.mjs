export function every(ms, fn) {
  const begin = performance.now();
  let point = 0;
  let stopped = false;
  const wait = () => {
    point = Math.max(point + 1, Math.ceil((performance.now() - begin) / ms));
    setTimeout(call, begin + point * ms - performance.now());
  };
  const call = () => {
    if (stopped) return;
    const n = point;
    wait();
    fn(n);
  };
  wait();
  return () => {
    stopped = true;
  };
}
