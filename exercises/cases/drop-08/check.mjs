const THREADS = 3;
const BURST = 30;
const ROUNDS = 12; // in each of which two requests come, and one file can be read
const SOON = 3000; // ms within which what is answered at once has come, on any day

/** The two kinds of requests that may be refused: how many are under way at once, and how one is made. */
async function kinds(t, room = t.parameters.room) {
  const { lineOf, previewOf, sumsOf } = await t.shared();
  const { sums } = t.parameters;
  return {
    sums: {
      what: "sums",
      atOnce: sums,
      most: sums + room,
      asks: (server, file, headers) => sumsOf(server, [file], headers),
      wanted: (file) => [200, lineOf(t, file)],
    },
    previews: {
      what: "previews",
      atOnce: THREADS,
      most: THREADS + room,
      asks: previewOf,
      wanted: () => [422, undefined],
    },
  };
}

/** A request that is noted as answered when it is. */
function noted(request) {
  request.over.then((answer) => {
    request.answer = answer;
  });
  return request;
}

const shown = ({ answer }) => (answer ? (answer.error ?? answer.status) : "no response");

/** Requests for slow files, as many as there is room for, or `count`. */
async function fills(t, server, kind, count = kind.most, { begun, after = "" } = {}) {
  const { begins, settled, Slow } = await t.shared();
  const slow = new Slow(t, server, count);
  const requests = [];
  for (const file of slow.files) {
    requests.push(noted(kind.asks(server, file)));
    await t.sleep(5);
  }
  await settled(t, server);
  const refused = requests.filter(({ answer }) => answer);
  t.ok(
    refused.length === 0,
    `${after}${count} requests for ${kind.what} arrived, and there was room for them, but not all were let in`,
    { saw: requests.map(shown), wanted: "no response yet" },
  );
  await begins(t, slow, begun ?? Math.min(count, kind.atOnce), kind.what);
  return { slow, requests };
}

/** Holds that a request is refused, at once; returns the file that it asked for. */
async function refused(t, server, kind, when) {
  const { Slow } = await t.shared();
  const slow = new Slow(t, server, 1);
  const request = noted(kind.asks(server, slow.files[0]));
  await t.until(() => request.answer, SOON);
  holdsRefusal(t, request, `${when}, and the next request`);
  return slow;
}

function holdsRefusal(t, request, what) {
  const { answer } = request;
  t.ok(answer?.status === 503, `${what} was not answered with 503 at once`, {
    saw: shown(request),
    wanted: 503,
  });
  const after = answer.headers["retry-after"];
  t.ok(
    /^[1-9]\d{0,4}$/.test(after ?? ""),
    `${what} was answered with 503, but its retry-after is not a whole number of seconds`,
    { saw: after ?? "no such header", wanted: "1 or more" },
  );
}

/** Lets all slow files come to their end, in turn, and holds that their clients get their answers. */
async function ends(t, kind, { slow, requests }) {
  const { answers } = await t.shared();
  await slow.endAll(t);
  for (const [at, request] of requests.entries())
    await answers(t, request, ...kind.wanted(slow.files[at]), `requests for ${kind.what} waited`);
}

/**
 * What comes of two requests in each round, where one file can be read in each: twice the capacity, whatever the machine's. Time is
 * counted in rounds, by no clock.
 */
async function overloads(t, server, kind) {
  const { answers, ask, begins, Slow } = await t.shared();
  const slow = new Slow(t, server, kind.most + 2 * ROUNDS);
  const files = slow.files.values();
  let inside = [];
  const asks = (round) => {
    const file = files.next().value;
    inside.push({ file, round, request: noted(kind.asks(server, file)) });
  };
  // Two on two connections may change places: any of them may be the one that is refused.
  const isAnswered = () => inside.some(({ request }) => request.answer);
  for (let count = 0; count < kind.most; count++) asks(0);
  await begins(t, slow, kind.atOnce, kind.what);
  const waits = [];
  let patience = SOON;
  for (let round = 1; round <= ROUNDS; round++) {
    for (let count = 0; count < 2; count++) {
      asks(round);
      if (inside.length <= kind.most) continue;
      // Where none is refused, the requests that wait become more and more, and none of the others is waited for as long.
      if (!(await t.until(isAnswered, patience))) patience = SOON / 30;
      inside = inside.filter(({ request }) => !request.answer);
    }
    await t.until(async () => (await slow.look()) > 0 && slow.active.length > 0, SOON);
    const [file] = slow.active;
    const ending = inside.find((each) => each.file === file);
    if (file) await slow.end(file);
    if (!ending) continue;
    await answers(
      t,
      ending.request,
      ...kind.wanted(file),
      "more requests arrived than there was room for",
    );
    waits.push([round, round - ending.round]);
    inside.splice(inside.indexOf(ending), 1);
    await ask(t, server, "/ping"); // by then the drop knows that it has sent the answer
  }
  inside = inside.filter(({ request }) => !request.answer);
  const ages = [...waits.map(([, rounds]) => rounds), ...inside.map(({ round }) => ROUNDS - round)];
  return { waits, longest: Math.max(...ages) };
}

const full = (kind) =>
  `${kind.most} requests for ${kind.what} were in the drop, ${kind.atOnce} under way and ${kind.most - kind.atOnce} waiting`;

export default {
  async room(t) {
    const { put, started, word } = await t.shared();
    const server = await started(t);
    await put(t, server, word(t), "first"); // and so its folder is there
    for (const kind of Object.values(await kinds(t)))
      await ends(t, kind, await fills(t, server, kind));
    await server.stop();
    const more = t.parameters.room + 2;
    const larger = await started(t, { ROOM: String(more) });
    await put(t, larger, word(t), "first");
    for (const kind of Object.values(await kinds(t, more)))
      await ends(t, kind, await fills(t, larger, kind, kind.most, { after: `ROOM was ${more}. ` }));
  },

  async refused(t) {
    const { put, settled, started, untouched, word } = await t.shared();
    for (const kind of Object.values(await kinds(t))) {
      const server = await started(t);
      await put(t, server, word(t), "first");
      const inside = await fills(t, server, kind);
      const extras = [];
      for (let time = 0; time < 2; time++) extras.push(await refused(t, server, kind, full(kind)));
      await ends(t, kind, inside);
      await settled(t, server);
      for (const extra of extras)
        await untouched(t, extra, `a request for ${kind.what} was refused, but its file was read`);
      await ends(t, kind, await fills(t, server, kind)); // there is room again
      await server.stop();
    }
  },

  async returned(t) {
    const { answers, lineOf, put, settled, Slow, started, sumsOf, word } = await t.shared();
    const both = await kinds(t);
    const server = await started(t);
    await put(t, server, word(t), "first");
    for (const kind of Object.values(both)) {
      const inside = await fills(t, server, kind, kind.most - 2);
      const others = new Slow(t, server, 4);
      const [leaves, late, ...next] = others.files;
      const leaving = noted(kind.asks(server, leaves));
      await settled(t, server);
      const over = noted(kind.asks(server, late, { "x-time-left": "300" }));
      await t.until(() => over.answer, SOON);
      t.equal(
        shown(over),
        504,
        `a request for ${kind.what} that waited was not answered with 504 when its time was over`,
      );
      await leaving.leave();
      await settled(t, server);
      const requests = [];
      for (const file of next) requests.push(noted(kind.asks(server, file)));
      await settled(t, server);
      t.ok(
        requests.every(({ answer }) => !answer),
        `${full(kind)}. One client had left and another had received its 504, but two further requests were not let in`,
        { saw: requests.map(shown), wanted: "no response yet" },
      );
      await refused(t, server, kind, full(kind));
      await inside.slow.endAll(t);
      for (const file of next) {
        await t.until(async () => (await others.look()) > 0 && others.began.includes(file), SOON);
        if (others.began.includes(file)) await others.end(file);
      }
      for (const [at, request] of requests.entries())
        await answers(t, request, ...kind.wanted(next[at]), "other clients had left");
    }
    const { sums: kind } = both;
    const inside = await fills(t, server, kind, kind.most - 1);
    const list = new Slow(t, server, kind.most + 2);
    const listed = noted(sumsOf(server, list.files));
    await settled(t, server);
    const what = `${kind.most - 1} requests for sums were in the drop, and a list of ${list.files.length} names arrived`;
    t.ok(!listed.answer, `${what}. The list takes one slot, but was not let in`, {
      saw: shown(listed),
      wanted: "no response yet",
    });
    await refused(t, server, kind, what);
    await inside.slow.endAll(t);
    await list.begin(t, 1);
    const others = await fills(t, server, kind, kind.most - 1, {
      begun: 0,
      after: "a list of names in the drop takes one slot. ",
    });
    await refused(t, server, kind, what);
    for (const each of [list, others.slow]) each.endAll(t);
    await answers(
      t,
      listed,
      200,
      list.files.map((file) => lineOf(t, file)).join(""),
      "a list had been let in, and the waiting room was full while its names had their turns",
    );
    for (const [at, request] of others.requests.entries())
      await answers(
        t,
        request,
        ...kind.wanted(others.slow.files[at]),
        "a list took turns with other requests",
      );
  },

  async apart(t) {
    const { ask, has, leaves, outcome, plain, put, started, word } = await t.shared();
    const server = await started(t);
    const [name, other] = [word(t), word(t)];
    const { picture, preview } = plain(t.parameters.shrink);
    await put(t, server, name, picture);
    const both = await kinds(t);
    const sums = await fills(t, server, both.sums);
    const answer = await ask(t, server, `/previews/${name}`, {
      headers: { "x-time-left": "60000" },
      seconds: 8,
    });
    t.ok(
      answer.status === 200 && answer.body.equals(preview),
      `${full(both.sums)}. Previews have a waiting room of their own, but a preview was not made`,
      { saw: outcome(answer), wanted: 200 },
    );
    const previews = await fills(t, server, both.previews);
    for (const [status, path, method] of [
      [200, "/ping"],
      [200, `/files/${name}`],
      [200, `/files/${name}`, "HEAD"],
      [200, "/files"],
      [404, `/files/${t.token()}`],
      [405, "/files", "DELETE"],
    ])
      has(
        t,
        await ask(t, server, path, { method }),
        status,
        ", while the waiting rooms for sums and previews were full",
      );
    const stored = await put(t, server, other, "x");
    t.equal(
      stored,
      201,
      "an upload was not answered with 201 while the waiting rooms for sums and previews were full",
    );
    await ends(t, both.sums, sums);
    await ends(t, both.previews, previews);
    await leaves(t, server);
  },

  async burst(t) {
    const { answers, put, settled, Slow, started, word } = await t.shared();
    const server = await started(t);
    await put(t, server, word(t), "first");
    for (const kind of Object.values(await kinds(t))) {
      const slow = new Slow(t, server, BURST);
      const requests = slow.files.map((file) => noted(kind.asks(server, file)));
      const inside = () => requests.filter(({ answer }) => !answer);
      await t.until(() => inside().length <= kind.most, SOON);
      await settled(t, server);
      const out = requests.filter(({ answer }) => answer);
      const count = inside().length;
      t.ok(
        count === kind.most,
        `${BURST} requests for ${kind.what} arrived at once, and ${count > kind.most ? "more" : "fewer"} were let in than there is room for`,
        { saw: count, wanted: kind.most },
      );
      for (const request of out)
        holdsRefusal(t, request, `one of ${BURST} requests that arrived at once`);
      const letIn = inside();
      const files = slow.files.filter((_, at) => letIn.includes(requests[at]));
      await t.until(async () => {
        await slow.look();
        for (const file of slow.active) await slow.end(file);
        return files.every(({ isOver }) => isOver);
      }, 6000);
      for (const [at, request] of letIn.entries())
        await answers(t, request, ...kind.wanted(files[at]), "other requests were refused");
    }
  },

  async goodput(t) {
    const { put, started, word } = await t.shared();
    for (const kind of Object.values(await kinds(t))) {
      const server = await started(t);
      await put(t, server, word(t), "first");
      const { waits, longest } = await overloads(t, server, kind);
      await server.stop();
      const what = `the waiting room for ${kind.what} was full, and in each of ${ROUNDS} rounds two requests arrived and one file could be read`;
      t.plot(`Twice as many requests for ${kind.what} as can be answered`, waits, {
        x: "round",
        y: "rounds until its response",
      });
      t.ok(waits.length === ROUNDS, `${what}, but in some rounds no request was answered`, {
        saw: `${waits.length} responses`,
        wanted: `${ROUNDS}, as if no more requests had arrived than can be answered`,
      });
      t.ok(
        longest <= kind.most,
        `${what}, but a request that was let in waited for more rounds than there are slots`,
        { saw: `${longest} rounds`, wanted: `at most ${kind.most}` },
      );
    }
  },

  async still(t) {
    const { sixSteps } = await t.shared();
    await sixSteps(t);
  },
};
