/** What ran longest of the functions that somebody wrote. */
function worstOf(times) {
  let worst = null;
  for (const [at, time] of times)
    if (!at.startsWith("(") && time > (times.get(worst) ?? 0)) worst = at;
  return {
    worst,
    share:
      worst === null
        ? 0
        : times.get(worst) /
          [...times].reduce((sum, [at, time]) => (at.startsWith("(") ? sum : sum + time), 0),
  };
}

export function stretches(looks, least) {
  const found = [];
  let now = 0;
  let from = 0;
  let times = new Map(); // of this stretch: what ran, and how long

  function end() {
    const ms = now - from;
    if (times.size > 0 && ms >= least) found.push({ from, ms, ...worstOf(times) });
    times = new Map();
  }

  for (const { ms, at } of looks) {
    if (at === "(idle)") {
      end();
      now += ms;
      from = now;
    } else {
      times.set(at, (times.get(at) ?? 0) + ms);
      now += ms;
    }
  }
  end();
  return found.sort((a, b) => b.ms - a.ms);
}
