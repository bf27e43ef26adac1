export function every(ms, fn) {
  let n = 0;
  const timer = setInterval(() => {
    n += 1;
    fn(n);
  }, ms);
  return function stop() {
    clearInterval(timer);
  };
}
