const LINES = 8_000; // most of which differ

const post = (t, server, body, seconds = 30) =>
  t.get(server, "/lines", { method: "POST", body, seconds });

function wanted(body) {
  const counts = new Map();
  for (const line of body.replace(/\n$/, "").split("\n"))
    counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => `${count} ${line}\n`).join("");
}
/** A list that nobody has seen before. */
const list = (t, count) => {
  const head = t.token();
  return `${t.random.shuffle(Array.from({ length: count }, (_, i) => `${i % 7 ? i : i >> 3} ${head}`)).join("\n")}\n`;
};

/** Whether it was worked on at all: an answer that comes for nothing takes no time. */
const answers = (t, { error, body }, asked) =>
  t.ok(
    !error && body.length === wanted(asked).length,
    "the response to a long list had the wrong length",
    {
      saw: error ?? `${body.length} bytes`,
      wanted: `${wanted(asked).length} bytes`,
    },
  );

/** Processor time of all its processes, in ms; the kernel counts in steps of 10. */
const used = (server) => {
  const { user, system } = server.cpu();
  return user + system;
};

const PLAIN = ["one list", "b\na\nb\n"];
const CASES = [
  PLAIN,
  ["a list whose last line has no line feed", "x\ny\nx"],
  ["numbers that are not in order of size", "10\n9\n10\n1\n007\n7\n"],
  ["lines that are JavaScript's own names", "__proto__\nconstructor\n__proto__\ntoString\n"],
  ["empty lines, and lines of spaces", "\n\n a\na \n a\n \n\n"],
  ["carriage returns and capital letters", "a\r\nA\na\r\na\n"],
  ["an empty body, which is one empty line", ""],
  ["letters from other scripts", "ä\na\u0308\nä\n\u{1f98a}\n\u{1f98a}\n"],
];

export default {
  async right(t) {
    const server = await t.once("server", () => t.server());
    for (const [what, body] of [...CASES, ["a list of several hundred lines", list(t, 300)]]) {
      const answer = await post(t, server, body);
      t.equal(
        answer.error ?? answer.body.toString(),
        wanted(body),
        `for ${what}, the response is no longer the same`,
      );
    }
  },

  async work(t) {
    const { mine, good, bad, held } = await t.ratio({
      good: "references/good.mjs",
      bad: "references/bad.mjs",
      rounds: 2,
      apart: 5,
      measure: async (server) => {
        await post(t, server, list(t, 200)); // a list that is short: what is needed once is there
        const before = used(server);
        const body = list(t, LINES);
        const answer = await post(t, server, body);
        answers(t, answer, body);
        return Math.max(10, used(server) - before);
      },
    });
    t.note(
      "processor time for a long list (ms): yours, the solution's, the starter's",
      `${mine}, ${good}, ${bad}`,
    );
    t.ok(
      held,
      `a list of ${LINES.toLocaleString("en")} new lines took ${mine} ms of processor time in all processes and threads together, however the work was sliced. The starter took ${bad} ms`,
      { saw: `${mine} ms`, wanted: `about ${good} ms` },
    );
  },

  async alone(t) {
    const [server, ill] = [
      await t.once("server", () => t.server()),
      await t.server({ reference: "references/bad.mjs" }),
    ];
    const count = async (each) => {
      const body = list(t, 300);
      answers(t, await post(t, each, body), body);
      return { processes: each.family().length, threads: each.threads() };
    };
    const [mine, now] = [await count(server), await count(ill)];
    t.ok(
      mine.processes <= now.processes,
      "your server has more processes than the starter, but other programs need the processors",
      {
        saw: mine.processes,
        wanted: now.processes,
      },
    );
    t.ok(
      mine.threads <= now.threads,
      "your server has more threads than the starter, but other programs need the processors",
      {
        saw: mine.threads,
        wanted: now.threads,
      },
    );
    await ill.stop();
  },
};
