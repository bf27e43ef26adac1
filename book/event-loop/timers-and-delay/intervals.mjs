// setInterval(tick, 50) with more and less to do in the callback. A line per tick: when it started.
const EVERY_MS = 50;
const TICKS = 8;

const busy = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

// milliseconds of work in the n-th callback
const cases = {
  "no work": () => 0,
  "30 ms of work": () => 30,
  "70 ms of work": () => 70,
  "170 ms, once": (n) => (n === 2 ? 170 : 0),
};

const run = (work, done) => {
  const begin = performance.now();
  const starts = [];
  const timer = setInterval(() => {
    starts.push(performance.now() - begin);
    busy(work(starts.length));
    if (starts.length < TICKS) return;
    clearInterval(timer);
    done(starts);
  }, EVERY_MS);
};

for (const [callback, work] of Object.entries(cases)) {
  const starts = await new Promise((done) => run(work, done));
  starts.forEach((ms, i) => {
    const behind = ms - (i + 1) * EVERY_MS;
    const row = { callback, tick: i + 1, start_ms: Math.round(ms), behind_ms: behind };
    console.log(JSON.stringify({ ...row, behind_ms: Number(behind.toFixed(2)) }));
  });
}
