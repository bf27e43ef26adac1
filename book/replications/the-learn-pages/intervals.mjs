// An interval of 10 ms whose function computes for 25 ms: how many of its calls run at the same time?
let running = 0;
let most = 0;
const starts = [];
const began = performance.now();
const interval = setInterval(() => {
  running += 1;
  most = Math.max(most, running);
  starts.push(performance.now() - began);
  const end = performance.now() + 25;
  while (performance.now() < end);
  running -= 1;
  if (starts.length === 8) {
    clearInterval(interval);
    const apart = starts.slice(1).map((start, n) => start - starts[n]);
    console.log(
      JSON.stringify({
        "interval (ms)": 10,
        "computes (ms)": 25,
        "calls at a time": most,
        "least time between starts (ms)": +Math.min(...apart).toFixed(1),
      }),
    );
  }
}, 10);
