// The right figures come another way than by adding requests: from the product form of such networks, with Buzen's convolution.
// G(n) is the sum over all ways to place n requests; then the throughput is G(n - 1) / G(n).
function right(stations, n) {
  const all = stations.reduce((sum, { demand }) => sum + demand, 0);
  const scaled = stations.map(({ demand, crowd }) => ({ demand: demand / all, crowd }));
  const wait = scaled.reduce((sum, { demand, crowd }) => (crowd ? sum + demand : sum), 0);
  const G = [1];
  for (let k = 1; k <= n; k++) G.push((G[k - 1] * wait) / k);
  for (const { demand, crowd } of scaled)
    if (!crowd) for (let k = 1; k <= n; k++) G[k] += demand * G[k - 1];
  const x = G[n - 1] / G[n];
  const at = scaled.map(({ demand, crowd }) => {
    if (crowd) return x * demand;
    let sum = 0;
    for (let k = 1; k <= n; k++) sum += demand ** k * G[n - k];
    return sum / G[n];
  });
  return { throughput: x / all, stay: (n * all) / x, at };
}

const near = (saw, wanted, within = 1e-6) =>
  typeof saw === "number" && Math.abs(saw - wanted) <= within * Math.abs(wanted);
const digits = (x) => (typeof x === "number" ? Number(x.toPrecision(6)) : x);
const figures = (said) => ({
  throughput: digits(said?.throughput),
  stay: digits(said?.stay),
});

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("mva");
    return student;
  });

const sum = (list) => list.reduce((total, x) => total + x, 0);
const demands = (stations, kind) =>
  stations.filter(({ crowd }) => Boolean(crowd) === kind).map(({ demand }) => demand);

/** What typical mistakes give for such a network, and how to call them. */
function mistakes(stations, n) {
  const [queues, waits] = [demands(stations, false), demands(stations, true)];
  const [D, W] = [sum(queues), sum(waits)];
  const found = [
    [
      Math.min(n / (D + W), 1 / Math.max(...queues)),
      "your value is the bound, which only a perfect schedule reaches",
    ],
    [
      n / (n * D + W),
      "your value is the pessimistic bound, which is the throughput if each request finds all the others before it",
    ],
    [
      right(
        stations.map(({ demand }) => ({ demand })),
        n,
      ).throughput,
      "your value would be right if requests had to queue where no request waits for another",
    ],
    [right(stations, n + 1).throughput, "your value is the throughput for one more request"],
    [
      n > 1 ? right(stations, n - 1).throughput : 0,
      "your value is the throughput for one request fewer",
    ],
  ];
  if (queues.length > 1)
    found.push([
      right([{ demand: D }, { demand: W, crowd: true }], n).throughput,
      "your function adds up the queues as if they were one, but a request can be at one queue while another request is at the next",
    ]);
  let at = stations.map(() => n / stations.length);
  for (let round = 0; round < 5000; round++) {
    const stays = stations.map(({ demand, crowd }, i) =>
      crowd ? demand : demand * (1 + (at[i] * (n - 1)) / n),
    );
    const x = n / sum(stays);
    at = stays.map((stay) => x * stay);
  }
  found.push([
    n /
      (W +
        sum(
          stations.map(({ demand, crowd }, i) =>
            crowd ? 0 : demand * (1 + (at[i] * (n - 1)) / n),
          ),
        )),
    "your value is an approximation, in which an arriving request finds a share of the mean numbers for n requests, instead of the mean numbers for n - 1 requests",
  ]);
  return found;
}

const described = (stations, n) => {
  const [queues, waits] = [demands(stations, false), demands(stations, true)];
  const list = (what, seconds) =>
    seconds.length ? `${what} ${seconds.map((s) => `${digits(1000 * s)} ms`).join(", ")}` : "";
  return `${n} request${n === 1 ? "" : "s"} among ${[list("queues of", queues), list("waits of", waits)].filter(Boolean).join(" and ")}`;
};

async function judge(t, stations, n) {
  const student = await asked(t);
  const said = await student.call("mva", stations, n);
  const wanted = right(stations, n);
  const what = described(stations, n);
  const seen = { saw: figures(said), wanted: figures(wanted) };
  if (!near(said?.throughput, wanted.throughput)) {
    const known = mistakes(stations, n).find(([x]) => near(said?.throughput, x, 1e-5));
    t.miss(
      `for ${what}, the throughput is wrong${known ? `. ${known[1][0].toUpperCase()}${known[1].slice(1)}` : ""}`,
      seen,
    );
  }
  const queued = wanted.stay - sum(demands(stations, true));
  if (near(said.stay, queued) && !near(said.stay, wanted.stay))
    t.miss(
      `for ${what}, the residence time of a request is given without its wait, but Little's law counts the time at all stations`,
      seen,
    );
  t.ok(near(said.stay, wanted.stay), `for ${what}, the residence time is wrong`, seen);
  return { said, wanted, what };
}

const ms = (t, least, most) => t.random.integer(10 * least, 10 * most) / 10_000;
const queue = (t) => ({ demand: ms(t, 1, 9) });
const wait = (t) => ({ demand: ms(t, 20, 60), crowd: true });
const numbers = (t) => [t.random.integer(4, 9), t.random.integer(10, 25), t.random.integer(26, 60)];
const times = (count, make) => Array.from({ length: count }, make);

/** Networks with several stations of both kinds, shuffled; one has a queue that no request needs. */
const networks = (t) =>
  t.once("networks", () =>
    [
      [2, 1],
      [3, 0],
      [3, 2],
      [1, 3],
    ].map(([queues, waits], i) =>
      t.random.shuffle([
        ...times(queues, () => queue(t)),
        ...times(waits, () => wait(t)),
        ...(i === 2 ? [{ demand: 0 }] : []),
      ]),
    ),
  );

export default {
  async "one-queue"(t) {
    const stations = t.random.shuffle([queue(t), wait(t)]);
    // Not with one request first: with one there is nobody to be found, and every formula is right.
    const counts = [...numbers(t), 1];
    const points = { yours: [], right: [] };
    for (const n of counts) {
      const { said, wanted } = await judge(t, stations, n);
      points.yours.push([n, said.throughput]);
      points.right.push([n, wanted.throughput]);
    }
    for (const [of, list] of [
      ["yours", points.yours],
      ["the reference", points.right],
    ])
      t.plot(
        "One queue and one wait",
        list.sort(([a], [b]) => a - b),
        { x: "requests", y: "requests per second", of },
      );
    await judge(t, [queue(t), wait(t)], t.random.integer(3, 30));
    await judge(t, [{ demand: ms(t, 1, 9) }], t.random.integer(3, 30));
  },

  async several(t) {
    for (const stations of await networks(t))
      for (const n of [...numbers(t), 1]) await judge(t, stations, n);
  },

  async at(t) {
    const student = await asked(t);
    for (const stations of await networks(t)) {
      const n = t.random.integer(5, 40);
      const said = (await student.call("mva", stations, n))?.at;
      const wanted = right(stations, n);
      const what = described(stations, n);
      const seen = {
        saw: Array.isArray(said) ? said.map(digits) : said,
        wanted: wanted.at.map(digits),
      };
      t.ok(
        Array.isArray(said) && said.length === stations.length,
        `for ${what}, \`at\` is not an array with a number for each station`,
        seen,
      );
      const holds = (numbers) =>
        said.every((saw, i) => near(saw, numbers[i]) || (numbers[i] === 0 && saw === 0));
      if (holds(wanted.at)) continue;
      if (holds(stations.map(({ demand }) => wanted.throughput * demand)))
        t.miss(
          `for ${what}, \`at\` has the mean numbers of requests in service, but requests that queue are also at the station`,
          seen,
        );
      const together = sum(said);
      t.miss(
        `for ${what}, the numbers of requests at the stations are wrong${near(together, n) ? "" : `. Their sum is ${digits(together)}, but no request leaves this network`}`,
        seen,
      );
    }
  },

  // With so many requests the slowest queue never rests, so everything is known in the limit: the others are queues to which
  // requests come at its rate.
  async many(t) {
    const student = await asked(t);
    const slowest = ms(t, 8, 9);
    const [second, third, away] = [ms(t, 2, 5), ms(t, 1, 4), ms(t, 30, 60)];
    const stations = [
      { demand: second },
      { demand: away, crowd: true },
      { demand: slowest },
      { demand: third },
    ];
    const n = t.random.integer(90_000, 100_000);
    const what = described(stations, n);
    let said;
    try {
      said = await student.call("mva", stations, n);
    } catch (thrown) {
      if (thrown.constructor.name !== "Thrown" || !/call stack/.test(thrown.message)) throw thrown;
      t.miss(
        `for ${what}, the stack overflowed, because your function calls itself for each request`,
        {
          saw: thrown.message,
        },
      );
    }
    const x = 1 / slowest;
    const others = [x * second, x * third].map((u) => u / (1 - u));
    const at = [others[0], x * away, n - sum(others) - x * away, others[1]];
    const seen = {
      saw: { ...figures(said), at: said?.at?.map?.(digits) },
      wanted: { throughput: digits(x), stay: digits(n / x), at: at.map(digits) },
    };
    t.ok(
      near(said?.throughput, x) && near(said.stay, n / x),
      `for ${what}, the throughput or the residence time is wrong. With so many requests, the slowest queue is never idle`,
      seen,
    );
    t.ok(
      at.every((wanted, i) => near(said.at?.[i], wanted, 1e-4)),
      `for ${what}, the numbers of requests at the stations are wrong`,
      seen,
    );
  },
};
