const CLIENTS = 10;
const COMPUTES = 5;
const WAITS = 45;

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("server");
    return student;
  });

const LENGTH = 2600;
const well = (t) =>
  t.once("well", async () => {
    const student = await asked(t);
    const silent = t.random.integer(1100, 1250);
    const pause = [silent, silent + t.random.integer(150, 200)];
    const run = await student.scene("run", {
      clients: CLIENTS,
      waits: WAITS,
      computes: COMPUTES,
      length: LENGTH,
      pause,
      bad: {},
    });
    return { ...run, pause };
  });

const repeated = (list) => list.find((one, i) => list.indexOf(one) !== i);

export default {
  async work(t) {
    const { answers, waited, computed, arrived, open } = await well(t);
    t.ok(open === 0, `${open} requests were never answered`);
    const own = new Set(waited);
    const without = answers.filter(({ request }) => !own.has(request)).length;
    t.ok(
      without === 0,
      `${without} of ${answers.length} requests did not wait for data of their own`,
    );
    t.ok(
      repeated(waited) === undefined,
      "a request waited for its data more than once, but each request should wait once",
    );
    t.ok(
      computed.length === answers.length,
      `${answers.length} requests were answered, but ${computed.length} responses were computed. Each response should be computed once`,
    );
    const wrong = answers.find(({ answer, wanted }) => answer !== wanted);
    t.ok(wrong === undefined, "a request failed, or its response was computed from other data", {
      saw: wrong?.answer ?? wrong?.error,
      wanted: wrong?.wanted,
    });
    const late = computed.findIndex((request, i) => request !== arrived[i]);
    t.ok(
      late < 0,
      "a response was computed before the response to another request whose data had arrived earlier",
      {
        saw: computed.slice(late, late + 4),
        wanted: arrived.slice(late, late + 4),
      },
    );
  },

  async throughput(t) {
    const { answers, pause } = await well(t);
    const bound = Math.min(CLIENTS / (WAITS + COMPUTES), 1 / COMPUTES);
    const rate = (from, to) =>
      answers.filter(({ at }) => at > from && at <= to).length / (to - from);
    const line = [];
    for (let to = 100; to <= LENGTH; to += 100) line.push([to, 1000 * rate(to - 100, to)]);
    t.plot("Responses per second, ten clients", line, { x: "ms", y: "responses per second" });
    t.plot(
      "Responses per second, ten clients",
      line.map(([x]) => [x, 1000 * bound]),
      {
        x: "ms",
        y: "responses per second",
        of: "the reference",
      },
    );
    for (const [from, when] of [
      [2 * (WAITS + COMPUTES), "in the first second"],
      [pause[1] + 2 * (WAITS + COMPUTES), "after a pause of all clients"],
    ]) {
      const saw = rate(from, from + 900);
      if (saw >= 0.9 * bound) continue;
      const seen = {
        saw: `${(1000 * saw).toFixed(0)} responses per second`,
        wanted: `at least ${(900 * bound).toFixed(0)}`,
      };
      const convoy = CLIENTS / (CLIENTS * COMPUTES + WAITS);
      if (saw < 1.06 * convoy && saw > 0.94 * convoy)
        t.miss(
          `${when}, the ten requests form a convoy. All responses whose data have arrived are computed in the same turn, and the loop reads no new request before the last computation has finished`,
          seen,
        );
      t.miss(
        `${when}, the throughput is too low. The convoy broke up, but requests take longer than they must, or the loop is sometimes idle`,
        seen,
      );
    }
  },

  async failures(t) {
    const student = await asked(t);
    // Of each hundred requests some get no data, and some computations throw.
    const bad = {};
    for (let i = 0; i < 8; i++) bad[t.random.integer(0, 99)] = t.random.pick(["wait", "compute"]);
    bad[t.random.integer(0, 4)] = "compute"; // while others stand behind it
    bad[t.random.integer(50, 99)] = "wait";
    const { answers, open } = await student.scene("run", {
      clients: CLIENTS,
      waits: WAITS,
      computes: COMPUTES,
      length: 1500,
      pause: [0, 0],
      bad,
    });
    t.ok(open === 0, `after a request had failed, ${open} other requests were never answered`);
    for (const { request, answer, error, wanted } of answers) {
      const how = bad[request % 100];
      const message = how === "wait" ? `no data for ${request}` : `no answer for ${request}`;
      if (!how)
        t.ok(
          answer === wanted,
          "a request failed or got the wrong response, although only other requests should fail",
          {
            saw: error ?? answer,
            wanted,
          },
        );
      else
        t.ok(
          error === message,
          how === "wait"
            ? "wait rejected for a request, but handle did not reject with its error"
            : "compute threw for a request, but handle did not reject with its error",
          { saw: error ?? answer, wanted: message },
        );
    }
  },
};
