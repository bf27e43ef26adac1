export function every(ms, fn) {
  const begin = performance.now();
  let point = 0;
  let timer;
  const wait = () => {
    const passed = (performance.now() - begin) / ms;
    // The next point, even if this timer was early, and a future point, even if it was late.
    point = Math.max(point + 1, Math.ceil(passed));
    timer = setTimeout(call, begin + point * ms - performance.now());
  };
  const call = () => {
    const n = point;
    wait(); // before fn, which may stop it
    fn(n);
  };
  wait();
  return function stop() {
    clearTimeout(timer);
  };
}
