export function every(ms, fn) {
  const begin = performance.now();
  let point = 0;
  let calls = 0;
  let timer;
  const wait = () => {
    point = Math.max(point + 1, Math.ceil((performance.now() - begin) / ms));
    timer = setTimeout(call, begin + point * ms - performance.now());
  };
  const call = () => {
    wait();
    calls += 1;
    fn(calls);
  };
  wait();
  return () => clearTimeout(timer);
}
