const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("read");
    return student;
  });

const near = (a, b) => typeof a === "number" && Math.abs(a - b) <= 0.01 * Math.abs(b);

/** A report of which it is known what is scarce in it, far from what it might be mistaken for. */
function report(t, scarce, processes) {
  const some = (from, to) => from + (to - from) * t.random();
  const loopMs = Number(some(0.5, 4).toPrecision(2));
  const ms = Number((loopMs * some(8, 20)).toPrecision(3));
  const knee = (processes * ms) / loopMs;
  const limit = (processes * 1000) / loopMs;
  const clients = Math.max(1, Math.round(knee * (scarce === "clients" ? 0.3 : 3)));
  const most = Math.min(limit, (clients * 1000) / ms);
  const share = scarce === "something else" ? some(0.1, 0.35) : some(0.8, 0.98);
  const given = { alone: { ms, loopMs }, clients, perSecond: Math.round(most * share), processes };
  return { given, limit, knee, scarce };
}

async function said(t, scarce = "loop", counts = [1, 2, 4]) {
  const student = await asked(t);
  return Promise.all(
    counts.map(async (processes) => {
      const one = report(t, scarce, processes);
      return { ...one, answer: (await student.call("read", one.given)) ?? {} };
    }),
  );
}

export default {
  async limit(t) {
    for (const { given, limit, answer } of await said(t)) {
      const { ms, loopMs } = given.alone;
      const seen = { saw: { report: given, limit: answer.limit }, wanted: limit };
      t.ok(
        !near(answer.limit, limit / 1000),
        "the limit is only a thousandth of the right number of responses per second",
        seen,
      );
      t.ok(
        !near(answer.limit, (given.processes * 1000) / ms),
        "the limit was computed from the whole time of a response, but a request does not occupy the loop while it waits",
        seen,
      );
      t.ok(
        given.processes === 1 || !near(answer.limit, 1000 / loopMs),
        "the limit is for one loop, but each process has its own loop",
        seen,
      );
      t.ok(
        near(answer.limit, limit),
        "the limit is not the highest rate that the loops can reach",
        seen,
      );
    }
  },

  async knee(t) {
    for (const { given, knee, answer } of await said(t))
      t.ok(
        near(answer.knee, knee),
        "the knee is not the number of clients beyond which each additional client only adds waiting time",
        {
          saw: { report: given, knee: answer.knee },
          wanted: knee,
        },
      );
  },

  async scarce(t) {
    const why = {
      loop: "the loops produce nearly as many responses as they can, and there are enough clients",
      clients: "the server sends as many responses as so few clients can request",
      "something else": "the measured rate is far lower than the loops and the clients allow",
    };
    for (const scarce of Object.keys(why))
      for (const { given, answer } of [...(await said(t, scarce)), ...(await said(t, scarce))])
        t.ok(
          answer.scarce === scarce,
          `\`read\` says that “${answer.scarce}” is scarce, but ${why[scarce]}`,
          {
            saw: { report: given, scarce: answer.scarce },
            wanted: scarce,
          },
        );
  },
};
