const EVERY = 20; // one in twenty is slow: p99 is one of them, p90 is not

export function shaped(mean) {
  const fast = Math.floor(mean / 2);
  const slow = EVERY * mean - (EVERY - 1) * fast;
  let requests = 0;
  return (_request, response) => {
    requests += 1;
    const until = performance.now() + (requests % EVERY === 0 ? slow : fast);
    while (performance.now() < until);
    response.end("found\n");
  };
}
