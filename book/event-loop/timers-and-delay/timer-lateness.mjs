// How late does a timer of WAIT_MS come on a loop that sleeps, one that turns all the time, and one
// whose callbacks take 20 ms? A line per timer: its loop, and how much later than asked it ran.
const WAIT_MS = 5;
const TIMERS = 60;

const busy = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

// what else the loop does
const others = {
  sleeps: () => {},
  turns: () => {},
  "20 ms callbacks": () => busy(20),
};

const late = (done) => {
  const asked = performance.now();
  setTimeout(() => done(performance.now() - asked - WAIT_MS), WAIT_MS);
};

for (const [loop, work] of Object.entries(others)) {
  let running = loop !== "sleeps";
  const again = () => {
    work();
    if (running) setImmediate(again);
  };
  if (running) setImmediate(again);
  for (let i = 0; i < TIMERS; i++) {
    // At another fraction of a millisecond each time, or every timer would begin with the loop's clock.
    await new Promise((go) => setTimeout(go, 1));
    busy(Math.random());
    const ms = await new Promise(late);
    console.log(JSON.stringify({ loop, late_ms: Number(ms.toFixed(3)) }));
  }
  running = false;
  await new Promise(setImmediate);
}
