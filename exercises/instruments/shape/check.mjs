const THOUSAND = 1000;
const MORE = 400; // the thousand begins anywhere
const TO = 0.015;

const loads = (t) =>
  t.once("loads", async () => {
    const student = await t.module();
    student.needs("shaped");
    const runs = [];
    const odd = 2 * t.random.integer(4, 12) + 1;
    for (const [mean, clients] of t.random.shuffle([
      [10, 10],
      [odd, t.random.integer(2, 30)],
      [t.random.integer(30, 60), 1],
    ])) {
      const run = await student.scene("load", { mean, clients, count: MORE + THOUSAND });
      const from = worst(run.ms, mean);
      runs.push({ ...run, mean, clients, ms: run.ms.slice(from, from + THOUSAND) });
      if (run.unanswered || Object.keys(run.failed).length) break;
    }
    return runs;
  });
// Where the thousand begins whose mean is farthest from the one wanted.
function worst(ms, wanted) {
  let sum = ms.slice(0, THOUSAND).reduce((total, one) => total + one, 0);
  let [at, farthest] = [0, Math.abs(sum / THOUSAND - wanted)];
  for (let from = 1; from + THOUSAND <= ms.length; from++) {
    sum += ms[from + THOUSAND - 1] - ms[from - 1];
    const far = Math.abs(sum / THOUSAND - wanted);
    if (far > farthest) [at, farthest] = [from, far];
  }
  return at;
}
const average = (list) => list.reduce((sum, ms) => sum + ms, 0) / list.length;
const ranked = (list, rank) => list.toSorted((a, b) => a - b)[rank - 1];
const where = ({ mean, clients }) =>
  `with shaped(${mean}) and ${clients} client${clients > 1 ? "s" : ""}`;
const shape = ({ ms }) => {
  const counts = new Map();
  for (const one of ms) counts.set(one, (counts.get(one) ?? 0) + 1);
  const classes = [...counts].sort(([a], [b]) => a - b);
  return classes.length > 8
    ? `${ranked(ms, 1)} to ${ranked(ms, THOUSAND)} ms, ${classes.length} different times`
    : classes.map(([one, n]) => `${n} took ${one} ms`).join(", ");
};
const BLOCKED_MS = 100; // in the handler, of real time
const noBlock = (t, run) => {
  if (run.blocked > BLOCKED_MS && Math.max(...run.ms) === 0)
    t.miss(
      `${where(run)}, the handler blocked its loop instead of waiting, so other requests would also have had to wait`,
      { saw: `${run.blocked.toFixed(0)} ms within the handler` },
    );
};

export default {
  async answered(t) {
    for (const run of await loads(t)) {
      t.ok(
        run.unanswered === 0,
        `${where(run)}, ${run.unanswered === 1 ? "a request was" : `${run.unanswered} requests were`} never answered`,
      );
      const [first] = Object.entries(run.failed);
      if (first)
        t.miss(`${where(run)}, ${first[1]} requests were answered with ${first[0]}`, {
          wanted: "200 and `found` for every request",
        });
    }
    const [{ ms, mean }] = await loads(t);
    const points = ms.toSorted((a, b) => a - b).map((one, i) => [100 * ((i + 1) / ms.length), one]);
    t.plot(`A thousand latencies of shaped(${mean})`, points, { x: "percentile", y: "ms" });
    t.plot(
      `A thousand latencies of shaped(${mean})`,
      points.map(([x]) => [x, mean]),
      { x: "percentile", y: "ms", of: "the reference" },
    );
  },

  async mean(t) {
    for (const run of await loads(t)) {
      noBlock(t, run);
      const saw = average(run.ms);
      if (Math.abs(saw / run.mean - 1) <= TO) continue;
      const seen = {
        saw: `a mean of ${saw.toFixed(2)} ms: ${shape(run)}`,
        wanted: `${run.mean} ms`,
      };
      const kinds = new Set(run.ms);
      if (ranked(run.ms, 1) > 2 * run.mean)
        t.miss(`${where(run)}, all requests were slow, so the mean is too high`, seen);
      if (ranked(run.ms, 1) >= run.mean)
        t.miss(
          `${where(run)}, the mean is too high. Fast requests must make up for the time that slow requests take`,
          seen,
        );
      if (kinds.size === 2 && Math.abs(saw / run.mean - 1) < 0.5)
        t.miss(
          `${where(run)}, the mean of these thousand requests is wrong, because the number of slow requests in a thousand varied or was left to chance`,
          seen,
        );
      t.miss(`${where(run)}, the mean of these thousand requests is wrong`, seen);
    }
  },

  async tail(t) {
    for (const run of await loads(t)) {
      noBlock(t, run);
      const saw = ranked(run.ms, 0.99 * THOUSAND);
      if (saw >= 5 * run.mean) continue;
      const seen = { saw: `p99 ${saw} ms: ${shape(run)}`, wanted: `${5 * run.mean} ms or more` };
      const slow = run.ms.filter((ms) => ms >= 5 * run.mean).length;
      if (slow > 0)
        t.miss(
          `${where(run)}, only ${slow === 10 ? "ten" : slow} of a thousand requests were slow, so the 990th in order of duration is still a fast request`,
          seen,
        );
      t.miss(`${where(run)}, the p99 is less than five times the mean`, seen);
    }
  },

  async most(t) {
    for (const run of await loads(t)) {
      noBlock(t, run);
      const saw = run.ms.filter((ms) => ms < run.mean).length;
      t.ok(
        saw >= 0.9 * THOUSAND,
        `${where(run)}, only ${saw} of a thousand requests took less than the mean`,
        {
          saw: shape(run),
          wanted: "at least 900",
        },
      );
    }
  },
};
