// How this is decided without ever failing a right answer by chance. Of n differences between equal servers, the mean by its
// standard error has Student's distribution, and is independent of how the differences lie to each other once they have been
// centred and scaled. So the sets of equal servers are made backwards: a random pattern, centred and scaled, and a t taken in equal
// steps from Student's distribution, not drawn. All 400 together are an exact sample of equal servers in which a 95 % interval is
// wrong in exactly 20, whatever the seed: nothing about the reference is left to chance. Another sound procedure (the sign-flip
// test by simulation) is wrong in 20 ± 3; one that peeks in about 70 ± 8, one that counts requests in about 170. The limit of
// 36 is more than four standard deviations away from each. The sets in which there is something to find have a t of 5 to 9.
const EQUAL_SETS = 400;
const MOST_ALARMS = 36;
const REQUESTS = 8; // on average in a trial
const PAIRS = 20;

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("verdict");
    return student;
  });

const mean = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
const normal = (t) => Math.sqrt(-2 * Math.log(1 - t.random())) * Math.cos(2 * Math.PI * t.random());
const between = (t, low, high) => low + t.random() * (high - low);

// The value below which a share `p` of Student's distribution lies: its density, summed up (Simpson), and halving.
function studentsT(p, df) {
  if (p < 0.5) return -studentsT(1 - p, df);
  const density = (x) => (1 + (x * x) / df) ** (-(df + 1) / 2);
  const area = (to, steps = 400) => {
    let sum = density(0) + density(to);
    for (let i = 1; i < steps; i++) sum += (i % 2 ? 4 : 2) * density((i * to) / steps);
    return (sum * to) / steps / 3;
  };
  const all = area(200, 20_000);
  let [low, high] = [0, 50];
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (area(middle) / all < 2 * p - 1) low = middle;
    else high = middle;
  }
  return low;
}

// A trial whose mean is exactly what it should be, up to the last digit.
function trial(t, wanted, requests = t.random.integer(REQUESTS - 2, REQUESTS + 2)) {
  const list = Array.from({ length: requests }, () => Math.exp(0.06 * normal(t)));
  const by = wanted / mean(list);
  return list.map((one) => Number((one * by).toFixed(5)));
}

// n pairs whose log ratios have just this t and this standard deviation, on a machine that drifts.
function pairs(t, n, { t: tValue, scatter, drift = 0.005 }) {
  const pattern = Array.from({ length: n }, () => normal(t));
  const middle = mean(pattern);
  const sd = Math.sqrt(pattern.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (n - 1));
  const logs = pattern.map(
    (x) => scatter * ((x - middle) / sd) + (tValue * scatter) / Math.sqrt(n),
  );
  let level = Math.log(between(t, 5, 50));
  return logs.map((log) => {
    level += drift * normal(t);
    // Both trials scatter alike and for themselves: what they share adds to neither's difference.
    const shared = level + (scatter / 2) * normal(t);
    return {
      a: trial(t, Math.exp(shared - log / 2)),
      b: trial(t, Math.exp(shared + log / 2)),
    };
  });
}
const logsOf = (set) => set.map(({ a, b }) => Math.log(mean(b) / mean(a)));
const tOf = (logs) => {
  const middle = mean(logs);
  const sd = Math.sqrt(logs.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (logs.length - 1));
  return (middle / sd) * Math.sqrt(logs.length);
};
// At 5 %, two-sided, for 5 to 19 degrees of freedom.
const CRITICAL = [
  2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101,
  2.093,
];
const differedOnTheWay = (set) => {
  const logs = logsOf(set);
  return CRITICAL.some(
    (limit, i) => i + 6 < logs.length && Math.abs(tOf(logs.slice(0, i + 6))) > limit,
  );
};

const WORDS = ["faster", "slower", "equal", "none"];
async function said(t, sets, margin) {
  const student = await asked(t);
  const all = await Promise.all(sets.map((set) => student.call("verdict", set, margin)));
  for (const one of all)
    if (!WORDS.includes(one?.verdict))
      t.miss("the verdict is not one of the four words", { saw: one, wanted: WORDS.join(", ") });
  return all.map(({ verdict }) => verdict);
}
const differs = (word) => word === "faster" || word === "slower";

export default {
  async ratio(t) {
    const student = await asked(t);
    for (const n of [6, 9, 20]) {
      const set = pairs(t, n, { t: between(t, -3, 3), scatter: 0.1, drift: 0.3 });
      // The machine was slow during one pair, and many requests were sent in it.
      set[1] = { a: trial(t, 300, 60), b: trial(t, 450, 40) };
      const saw = (await student.call("verdict", set, 1.1))?.ratio;
      const wanted = Math.exp(mean(logsOf(set)));
      if (Math.abs(saw / wanted - 1) < 1e-6) continue;
      const pooled = mean(set.flatMap(({ b }) => b)) / mean(set.flatMap(({ a }) => a));
      if (Math.abs(saw / pooled - 1) < 1e-6)
        t.miss(
          "in the ratio, a trial with more requests, or a trial at a slow moment, counts for more, but each pair should count once",
          {
            saw,
            wanted,
          },
        );
      if (Math.abs(saw * wanted - 1) < 1e-6)
        t.miss("the ratio compares a with b instead of b with a", { saw, wanted });
      t.miss(`the ratio of ${n} pairs is not the geometric mean of their ratios`, { saw, wanted });
    }
  },

  async few(t) {
    const sets = [3, 4, 5, 3, 4, 5].map((n, i) =>
      pairs(t, n, { t: i % 2 ? -80 : 80, scatter: 0.02 }),
    );
    const words = await said(t, sets, 1.1);
    const at = words.findIndex(differs);
    if (at >= 0)
      t.miss(
        `${sets[at].length} pairs got a verdict of a difference. Even if all pairs point the same way, their sign-flip p is ${2 * 0.5 ** sets[at].length}, so no such result can be significant at 5 %`,
        { saw: words[at], wanted: "none" },
      );
    const close = [3, 4, 5].map((n) => pairs(t, n, { t: 0.1, scatter: 0.001 }));
    for (const [i, word] of (await said(t, close, 1.1)).entries())
      t.ok(
        word === "none",
        `${close[i].length} pairs got a verdict, but they are too few for any verdict`,
        {
          saw: word,
          wanted: "none",
        },
      );
  },

  async alarms(t) {
    const sets = t.random.shuffle(
      Array.from({ length: EQUAL_SETS }, (_, i) => {
        const value = studentsT((i + 0.5) / EQUAL_SETS, PAIRS - 1);
        return pairs(t, PAIRS, { t: value, scatter: between(t, 0.05, 0.09) });
      }),
    );
    const words = await said(t, sets, 1.1);
    const false_ = sets.filter((_, i) => differs(words[i]));
    t.note(`false alarms in ${EQUAL_SETS}`, false_.length);
    if (false_.length <= MOST_ALARMS) return;
    const seen = { saw: `${false_.length} of ${EQUAL_SETS}`, wanted: `about ${EQUAL_SETS / 20}` };
    const rest = false_.filter((set) => Math.abs(tOf(logsOf(set))) < CRITICAL.at(-1));
    const peeked = rest.filter(differedOnTheWay).length;
    if (rest.length && peeked > 0.9 * rest.length)
      t.miss(
        `equal servers were called different too often. Nearly all of these servers looked different on the way, after fewer than ${PAIRS} pairs, but no longer at the end`,
        seen,
      );
    if (false_.length > 0.3 * EQUAL_SETS)
      t.miss(
        "equal servers were called different too often. The requests of a trial share its process, so they are not a sample of trials, and an error bar computed from them is far too short",
        seen,
      );
    t.miss("equal servers were called different too often", seen);
  },

  async power(t) {
    const sets = Array.from({ length: 80 }, (_, i) =>
      pairs(t, t.random.integer(10, PAIRS), {
        t: (i % 2 ? 1 : -1) * between(t, 5, 9),
        scatter: between(t, 0.01, 0.05),
        drift: 0.3,
      }),
    );
    const words = await said(t, sets, 1.001);
    const wanted = sets.map((_, i) => (i % 2 ? "slower" : "faster"));
    const turned = words.filter((word, i) => differs(word) && word !== wanted[i]).length;
    if (turned > 40)
      t.miss("a server whose latencies are longer was called `faster`", {
        saw: `${turned} of 80 the wrong way round`,
      });
    const found = words.filter((word, i) => word === wanted[i]).length;
    t.note("differences found in 80", found);
    t.ok(
      found >= 72,
      "differences that are large compared with the scatter of the pairs were not found. The machine drifted from pair to pair, but the drift affected both trials of a pair alike",
      { saw: `${found} of 80`, wanted: "nearly all" },
    );
  },

  async equal(t) {
    const margin = t.random.pick([1.05, 1.1, 1.25]);
    const make = (wide) =>
      Array.from({ length: 40 }, () => {
        const n = t.random.integer(6, 9);
        const half = Math.log(margin) * wide; // of the interval
        const scatter = (half * Math.sqrt(n)) / CRITICAL[n - 6];
        return pairs(t, n, { t: between(t, -0.4, 0.4), scatter });
      });
    const narrow = await said(t, make(0.4), margin);
    const wide = await said(t, make(2.5), margin);
    const wrongly = wide.filter((word) => word === "equal").length;
    t.ok(
      wrongly === 0,
      `${wrongly} of 40 comparisons whose interval extends far beyond a margin of ${margin} were called equal, but finding no difference is not the same as having ruled one out`,
      { saw: "equal", wanted: "none" },
    );
    const rightly = narrow.filter((word) => word === "equal").length;
    t.ok(
      rightly >= 24,
      `only ${rightly} of 40 comparisons whose whole interval lies within a margin of ${margin} were called equal`,
      { wanted: "nearly all" },
    );
  },
};
