export function every(ms, fn) {
  const begin = performance.now();
  let point = 1;
  let timer;
  const wait = () => {
    timer = setTimeout(call, begin + point * ms - performance.now());
  };
  const call = () => {
    const n = point;
    point += 1;
    wait();
    fn(n);
  };
  wait();
  return () => clearTimeout(timer);
}
