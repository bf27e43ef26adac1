const GIVEN_UP_MS = 3000;
const LONG_GIB = 8; // of a file that takes seconds to hash, and no room
const MARGIN_MS = 50; // by which a timer may be early to the eyes of another process

/** Starts the drop with a small file in its folder. */
async function started(t) {
  const { bytes, put, ROOMY, started: start, word } = await t.shared();
  const server = await start(t, ROOMY);
  const [name, content] = [word(t), bytes(t, 300)];
  t.equal(
    await put(t, server, name, content),
    201,
    "the upload of a new file was not answered with 201",
  );
  return { server, name, line: `${t.digest(content)}  ${name}\n` };
}

/** Whether a file is given up while bytes come. */
const givenUp = (t, { pipe }) => t.until(async () => !(await pipe.write("x")), GIVEN_UP_MS);

export default {
  async left(t) {
    const { answers, begins, lineOf, previewOf, settled, Slow, sumsOf, untouched } =
      await t.shared();
    const { sums } = t.parameters;
    const { server } = await started(t);
    // What is being read, and what would follow it.
    const [now, next] = [new Slow(t, server, 1), new Slow(t, server, 1)];
    const list = sumsOf(server, [now.files[0], next.files[0]]);
    await begins(t, now, 1, "sums");
    await t.sleep(50);
    t.ok(
      await now.files[0].pipe.write("x"),
      "a client that waited for sums was still connected, but the drop stopped reading its file",
    );
    await list.leave();
    await settled(t, server);
    t.ok(
      await givenUp(t, now.files[0]),
      `the client of two sums had left, but ${GIVEN_UP_MS / 1000} s later the first file was still being read, though bytes kept arriving`,
      { wanted: "the drop stops reading it when the next bytes arrive" },
    );
    await untouched(t, next, "the client of two sums had left, but the second file was begun");
    // What waits for its turn.
    const [held, queued, last] = [sums, 4, 1].map((count) => new Slow(t, server, count));
    const stay = held.files.map((file) => sumsOf(server, [file]));
    await begins(t, held, sums, "a sum");
    await settled(t, server);
    const leaving = queued.files.map((file) => sumsOf(server, [file]));
    await settled(t, server);
    const single = sumsOf(server, [last.files[0]]);
    await settled(t, server);
    await Promise.all(leaving.map((request) => request.leave()));
    await settled(t, server);
    for (const file of held.files) await held.end(file);
    await begins(t, last, 1, "a sum queued behind the sums of clients that had left");
    await untouched(
      t,
      queued,
      "clients had left before it was the turn of their sums, but their files were begun",
    );
    await last.endAll(t);
    for (const [at, file] of held.files.entries())
      await answers(t, stay[at], 200, lineOf(t, file), "clients of other sums had left");
    await answers(t, single, 200, lineOf(t, last.files[0]), "clients of other sums had left");
    // The same of previews, of which three are made at once, by workers that read the files.
    const [busy, idle, one] = [3, 3, 1].map((count) => new Slow(t, server, count));
    const previews = busy.files.map((file) => previewOf(server, file));
    await begins(t, busy, 3, "a preview");
    const gone = idle.files.map((file) => previewOf(server, file));
    await settled(t, server);
    t.ok(
      (await idle.look()) === 0,
      "three previews were being made, but the file of another preview was read before its turn",
    );
    const stays = previewOf(server, one.files[0]);
    await settled(t, server);
    await Promise.all(gone.map((request) => request.leave()));
    await settled(t, server);
    await busy.end(busy.files[0]);
    const isBegun = await one.begin(t, 1);
    await untouched(
      t,
      idle,
      "clients had left before it was the turn of their previews, but their files were read",
    );
    t.ok(isBegun, "a client was still waiting for a preview, but its turn did not come", {
      wanted: "the file is read when a worker is free",
    });
    for (const each of [busy, one]) await each.endAll(t);
    for (const request of [...previews, stays])
      await answers(t, request, 422, undefined, "clients of other previews had left");
  },

  async deadline(t) {
    const { answers, begins, previewOf, Slow, sumsOf, untouched } = await t.shared();
    const { patience, sums } = t.parameters;
    const { server, name, line } = await started(t);
    const times = (request, what, ms, wait = ms + 4000) =>
      Promise.race([request.over, t.sleep(wait, { error: "no response" })]).then((answer) => {
        t.ok(answer.status === 504, `${what} was not answered with 504 when its time was over`, {
          saw: answer.error ?? answer.status,
          wanted: `504, after ${ms} ms`,
        });
        t.ok(answer.ms > ms - MARGIN_MS, `${what} was answered with 504 before its time was over`, {
          saw: `${Math.round(answer.ms)} ms`,
          wanted: `${ms} ms`,
        });
      });
    for (const left of ["60000", undefined, "soon", "-5", "1e3"])
      await answers(
        t,
        sumsOf(server, [{ name }], left ? { "x-time-left": left } : {}),
        200,
        line,
        `a sum was requested ${left ? `with x-time-left: ${left}` : "without x-time-left"}`,
      );
    const none = new Slow(t, server, 2);
    for (const request of [
      sumsOf(server, [none.files[0]], { "x-time-left": "0" }),
      previewOf(server, none.files[1], { "x-time-left": "0" }),
    ])
      await times(request, "a request with x-time-left: 0", 0);
    await untouched(t, none, "a request said x-time-left: 0, but its file was begun");
    // What is being read when the time is over, and what waits.
    const [held, queued] = [new Slow(t, server, sums), new Slow(t, server, 2)];
    const left = t.random.integer(500, 900);
    const first = held.files.map((file) => sumsOf(server, [file], {}));
    const unsaid = first.map((request) =>
      times(request, "a sum that hangs, without x-time-left,", patience),
    );
    for (const each of unsaid) each.catch(() => {});
    await begins(t, held, sums, "a sum");
    await Promise.all([
      times(
        sumsOf(server, queued.files, { "x-time-left": left }),
        `a sum with x-time-left: ${left}`,
        left,
        left + 1000,
      ),
      times(
        previewOf(server, queued.files[1], { "x-time-left": left }),
        `a preview of a file that hangs, with x-time-left: ${left},`,
        left,
        left + 1000,
      ),
    ]);
    await Promise.all(unsaid);
    for (const file of held.files)
      t.ok(
        await givenUp(t, file),
        `the time of a sum was over, but ${GIVEN_UP_MS / 1000} s later its file was still being read, though bytes kept arriving`,
        { wanted: "the drop stops reading it, as if the client had left" },
      );
    t.ok(
      !(await queued.files[0].pipe.isRead()),
      "the time of a sum was over before its turn came, but its file was begun",
    );
    await answers(t, sumsOf(server, [{ name }]), 200, line, "the time of other requests was over");
  },

  async held(t) {
    const { answers, ask, begins, has, lineOf, settled, Slow, sumsOf, untouched } =
      await t.shared();
    const { sums } = t.parameters;
    const { server, name } = await started(t);
    const [held, later] = [new Slow(t, server, sums), new Slow(t, server, 4)];
    const first = held.files.map((file) => sumsOf(server, [file]));
    await begins(t, held, sums, "a sum");
    await settled(t, server);
    await Promise.all(first.map((request) => request.leave()));
    await settled(t, server);
    const second = later.files.map((file) => sumsOf(server, [file]));
    await settled(t, server);
    await untouched(
      t,
      later,
      `${sums} clients had left while their files were read from a silent disk, but further files were begun, although the reads that hang still hold their threads`,
    );
    const answer = await ask(t, server, `/files/${name}`, { seconds: 3 });
    has(t, answer, 200, ", while the reads for clients that had left hold some threads");
    for (const { pipe } of held.files) await pipe.end("x");
    await begins(t, later, sums, "a sum after the reads that hung had returned");
    await later.endAll(t);
    for (const [at, request] of second.entries())
      await answers(t, request, 200, lineOf(t, later.files[at]), "other clients had left");
  },

  async clean(t) {
    const { answers, closesFiles, leaves, sumsOf } = await t.shared();
    const { sums } = t.parameters;
    const { server, name, line } = await started(t);
    server.put("files/long.bin", t.token(), { size: LONG_GIB * 2 ** 30 });
    const long = [{ name: "long.bin" }];
    for (let time = 0; time < 2; time++) {
      const requests = Array.from({ length: sums + 2 }, () => sumsOf(server, long));
      await t.sleep(150);
      await Promise.all(requests.map((request) => request.leave()));
    }
    await closesFiles(t, server, "clients that had requested the sum of a long file left");
    const late = Array.from({ length: sums + 2 }, () =>
      sumsOf(server, long, { "x-time-left": "200" }),
    );
    await Promise.race([Promise.all(late.map(({ over }) => over)), t.sleep(2500)]);
    for (const request of late) request.leave();
    await closesFiles(t, server, "the time of requests for the sum of a long file was over");
    for (const left of ["600000", "0", "600000"]) {
      const request = sumsOf(server, [{ name }], { "x-time-left": left });
      if (left !== "0") await answers(t, request, 200, line, "other clients had left");
      else await request.over;
    }
    await leaves(t, server);
  },

  async still(t) {
    const { sixSteps } = await t.shared();
    await sixSteps(t);
  },
};
