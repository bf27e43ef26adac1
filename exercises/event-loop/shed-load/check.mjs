const FAR = 2000; // a limit that nothing here reaches
const BLOCK_MS = 260;
const SURE_MS = 200; // for so long after a block every request must be refused
const CROWD = 8;
const QUIET_MS = 800; // for so long a process has nothing to do before it is asked and blocked

async function serving(t, limit) {
  const student = await t.module();
  student.needs("shed");
  const word = t.token();
  const { port, kind } = await student.scene("serve", { limit, word });
  t.ok(port, "shed did not return a listener", { saw: kind });
  const ask = async (path = "/") => {
    student.use();
    const { status, headers, body, error } = await t.get({ port }, path);
    return { status, error, retry: headers?.["retry-after"], served: body?.toString() === word };
  };
  return {
    limit,
    student,
    ask,
    served: () => student.events.filter(({ name }) => name === "served").map(({ value }) => value),
  };
}
// The loop is blocked; meanwhile a crowd asks. What they were told, and which of them reached the handler, how long after the block.
async function crowd(t, { student, ask, served }) {
  const blocks = student.events.filter(({ name }) => name === "blocked").length;
  const blocking = student.scene("block", { ms: BLOCK_MS });
  await t.until(
    () => student.events.filter(({ name }) => name === "blocked").length > blocks,
    3000,
  );
  const tag = t.token();
  const answers = await Promise.all(Array.from({ length: CROWD }, (_, i) => ask(`/${tag}/${i}`)));
  await blocking;
  await student.scene("told"); // whatever it has told before has come now
  return { answers, reached: served().filter(({ path }) => path.startsWith(`/${tag}/`)) };
}
const limited = (t) => t.once("limited", () => serving(t, t.random.integer(60, 90)));

// Refused as they should be; says what was wrong with it if not.
async function refused(t, server, again = "") {
  for (let attempt = 0; attempt < 3; attempt++) {
    const { answers, reached } = await crowd(t, server);
    const what = `the loop had just been blocked for ${BLOCK_MS} ms${again}, with a limit of ${server.limit} ms, and ${CROWD} requests had arrived in the meantime`;
    const seen = {
      saw: answers.map(({ status, error }) => status ?? error),
      wanted: Array(CROWD).fill(503),
    };
    t.ok(
      !answers.some(({ error }) => error),
      `${what}. At least one of them got no response`,
      seen,
    );
    const busy = answers.filter(({ status }) => status === 503);
    const surely = reached.filter(({ since }) => since < SURE_MS);
    t.ok(
      !(busy.length === CROWD && reached.length > 0),
      `${what}. All of them got a 503, but the handler was called for ${reached.length} of them`,
      seen,
    );
    if (surely.length === CROWD)
      t.miss(
        `${what}. None of them was refused. A single block among many quiet moments must count, but neither a mean nor a share of all the time shows such a block. A check of the delay must not make the probe forget the block`,
        seen,
      );
    t.ok(
      surely.length === 0,
      `${what}. The listener refused ${busy.length} of them, but passed ${surely.length} to the handler, as if a check of the delay had made the probe forget the block`,
      seen,
    );
    if (reached.length > 0) continue; // they reached the handler too late to tell
    t.ok(
      busy.every(({ retry }) => retry),
      `${what}. A 503 was sent without a retry-after header`,
      seen,
    );
    return;
  }
  t.noisy("requests that had waited for the loop were handled long after it was free again");
}

export default {
  async quiet(t) {
    // First: while one process of a check is used the others are stopped, and a stop is late for a loop as a block is.
    const far = await serving(t, FAR);
    const first = [];
    for (let i = 0; i < 10; i++) first.push(await far.ask());
    t.ok(
      first.every(({ served }) => served),
      "the limit was 2 s and the process had nothing to do, but a request was not passed to the handler",
      {
        saw: first.map(({ status, error }) => status ?? error),
      },
    );
    const { answers } = await crowd(t, far);
    t.ok(
      answers.every(({ served }) => served),
      `the limit was ${FAR} ms and the loop was blocked for only ${BLOCK_MS} ms, but requests were refused`,
      {
        saw: answers.map(({ status, error }) => status ?? error),
      },
    );
    await far.student.stop();
    const server = await limited(t);
    await t.sleep(QUIET_MS);
    // With a small limit a busy machine may be late itself, but not for ever.
    t.ok(
      await t.until(async () => (await server.ask()).served, 3000),
      `the limit was ${server.limit} ms and the process had nothing to do, but no request was passed to the handler for 3 s. The time between two readings of the clock is not the delay, because it includes the probe's own interval`,
    );
  },

  async sheds(t) {
    const server = await limited(t);
    await refused(t, server);
  },

  async recovers(t) {
    const server = await limited(t);
    const again = await t.until(async () => (await server.ask()).served, 4000);
    t.ok(
      again,
      "the loop was blocked once and then free for 4 s, but requests were still refused. The probe must forget a block after a while",
    );
    await refused(t, server, " a second time");
  },

  async ends(t) {
    const { student, ask } = await serving(t, 100);
    const { served, status } = await ask();
    t.ok(served || status === 503, "a request got no response", { saw: status ?? "no response" });
    await student.scene("close");
    const over = await student.finish(3).then(
      () => true,
      () => false,
    );
    t.ok(
      over,
      "the server was closed, but the process was still running 3 s later, because something in shed keeps it alive",
    );
  },
};
