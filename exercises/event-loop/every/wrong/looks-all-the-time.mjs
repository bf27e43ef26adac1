export function every(ms, fn) {
  const begin = performance.now();
  let last = 0;
  const timer = setInterval(() => {
    const n = Math.floor((performance.now() - begin) / ms);
    if (n === last) return;
    last = n;
    fn(n);
  }, 1);
  return () => clearInterval(timer);
}
