// 40 ticks, one every 10 ms, from setInterval and from a timer that is set for the next point of a fixed
// grid. A line per tick: how far it is behind the grid.
const EVERY_MS = 10;
const TICKS = 40;

const interval = (tick) => {
  const timer = setInterval(() => tick(() => clearInterval(timer)), EVERY_MS);
};

// the grid
const grid = (tick) => {
  const begin = performance.now();
  let point = 0;
  let timer;
  const next = () => {
    const passed = (performance.now() - begin) / EVERY_MS;
    point = Math.max(point + 1, Math.ceil(passed)); // skips what is over
    timer = setTimeout(step, begin + point * EVERY_MS - performance.now());
  };
  const step = () => {
    next();
    tick(() => clearTimeout(timer));
  };
  next();
};
// end of the grid

for (const [clock, start] of Object.entries({ setInterval: interval, "fixed grid": grid })) {
  const begin = performance.now();
  let ticks = 0;
  await new Promise((done) => {
    start((stop) => {
      ticks += 1;
      const behind = performance.now() - begin - ticks * EVERY_MS;
      console.log(JSON.stringify({ clock, tick: ticks, behind_ms: Number(behind.toFixed(2)) }));
      if (ticks < TICKS) return;
      stop();
      done();
    });
  });
}
