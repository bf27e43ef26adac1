export function every(ms, fn) {
  let n = 0;
  let timer;
  const call = () => {
    timer = setTimeout(call, ms);
    n += 1;
    fn(n);
  };
  timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
