export function every(ms, fn) {
  const begin = performance.now();
  let timer;
  const wait = () => {
    const point = Math.floor((performance.now() - begin) / ms) + 1;
    timer = setTimeout(call, begin + point * ms - performance.now(), point);
  };
  const call = (point) => {
    wait();
    fn(point);
  };
  wait();
  return () => clearTimeout(timer);
}
