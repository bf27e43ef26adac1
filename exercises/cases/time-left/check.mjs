import http from "node:http";

/** The server behind: it answers when told, and notes what each request said and when it came and went. */
const behind = (t) =>
  t.once("behind", async () => {
    const visits = [];
    const server = http.createServer((request, response) => {
      const visit = {
        path: request.url,
        said: request.headers["x-time-left"],
        at: t.now(),
        gone: false,
        answer: (text) => response.end(text),
      };
      response.once("close", () => {
        visit.gone = !response.writableFinished;
      });
      response.on("error", () => {});
      visits.push(visit);
    });
    server.unref();
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { visits, url: `http://127.0.0.1:${server.address().port}` };
  });
const started = (t) =>
  t.once("server", async () => {
    const { url, visits } = await behind(t);
    const server = await t.server({ env: { UPSTREAM: url } });
    return { server, visits };
  });

/** One request under way: what it was given, its visits to the upstream, its answer. */
async function asking(t, left) {
  const { server, visits } = await started(t);
  const from = visits.length;
  const one = { begun: t.now(), given: left ?? t.parameters.patience };
  const headers = left === undefined ? {} : { "x-time-left": String(left) };
  one.answer = t.get(server, "/", { headers, seconds: 4 });
  one.visits = () => visits.slice(from);
  one.comes = async (count) => {
    await t.until(() => one.visits().length >= count || server.end, 3000);
    if (server.end) throw server.early();
    t.ok(
      one.visits().length >= count,
      `a request had ${one.given} ms, and after 3 s, the upstream had been asked ${one.visits().length} times`,
      { wanted: count },
    );
    return one.visits()[count - 1];
  };
  return one;
}

/** Holds what a visit said against what the driver's own clock allows: it has seen less pass than the server, or more. */
function fits(t, one, visit, { least, which }) {
  const { reserve } = t.parameters;
  const said = Number(visit.said);
  const passed = { at_least: Math.floor(least), at_most: Math.ceil(visit.at - one.begun) };
  const most = one.given - reserve - passed.at_least;
  const fewest = one.given - reserve - passed.at_most - 2;
  const seen = { saw: visit.said ?? "no header", wanted: `${fewest} to ${most}` };
  t.ok(visit.said !== undefined, `the ${which} request to the upstream had no x-time-left`, seen);
  t.ok(
    /^\d+$/.test(visit.said),
    `the ${which} request to the upstream had an x-time-left that is not a whole number`,
    seen,
  );
  const what = `a request had ${one.given} ms, and at least ${passed.at_least} of them had passed before the ${which} request to the upstream`;
  if (said > most && said <= most + reserve)
    t.miss(
      `${what}, but the server kept no time for itself, or less than your ${reserve} ms`,
      seen,
    );
  t.ok(said <= most, `${what}, but the upstream was given more time than was left`, seen);
  t.ok(said >= fewest, `${what}, but the upstream was given less time than was left`, seen);
}

export default {
  async both(t) {
    for (const left of [undefined, 3000]) {
      const one = await asking(t, left);
      const words = [t.token(), t.token()];
      (await one.comes(1)).answer(words[0]);
      (await one.comes(2)).answer(words[1]);
      const { status, body, error } = await one.answer;
      t.equal(
        error ?? `${status} ${body}`,
        `200 ${words.join("")}`,
        "both parts arrived in time, but the response is wrong",
      );
      t.equal(
        one.visits().map(({ path }) => path),
        ["/a", "/b"],
        "the wrong paths were requested from the upstream",
      );
    }
  },

  async left(t) {
    for (const given of [undefined, t.random.integer(2500, 3500)]) {
      const one = await asking(t, given);
      const first = await one.comes(1);
      fits(t, one, first, { least: 0, which: "first" });
      const held = t.now();
      await t.sleep(t.random.integer(150, 250));
      const least = t.now() - held;
      first.answer("a");
      const second = await one.comes(2);
      fits(t, one, second, { least, which: "second" });
      second.answer("b");
      await one.answer;
    }
  },

  async late(t) {
    for (const holds of [1, 2]) {
      // Beside it one that came before it, and has more time: whose 504 comes first tells whether each has its own.
      const other = await asking(t, 1900);
      await other.comes(1);
      const given = t.random.integer(300, 400);
      const one = await asking(t, given);
      const order = [];
      for (const [who, { answer }] of [
        ["it", one],
        ["the other", other],
      ])
        answer.then(() => order.push(who));
      if (holds === 2) (await one.comes(1)).answer("a");
      // On a machine that is busy the time may be over before the second request is made: that is right, too.
      await t.until(() => one.visits().length >= holds, given);
      const { status, error, ms } = await one.answer;
      const what = `a request had ${given} ms, and the ${holds === 1 ? "first" : "second"} part never arrived`;
      t.ok(!error, `${what}, and there was no response at all within 4 s`, {
        saw: error,
        wanted: 504,
      });
      t.equal(status, 504, `${what}, but the response was not a 504`);
      t.ok(
        ms >= given - t.parameters.reserve - 25,
        `${what}, but the 504 was sent much too early`,
        {
          saw: `${Math.round(ms)} ms`,
        },
      );
      await other.answer;
      t.equal(
        order,
        ["it", "the other"],
        `${what}. An earlier request had 1900 ms, but got its 504 first, so each request needs a deadline of its own`,
      );
      const last = one.visits()[holds - 1];
      t.ok(
        !last || (await t.until(() => last.gone, 1500)),
        `${what}. The client had its 504, but the request to the upstream was still under way`,
      );
    }
  },

  async nothing(t) {
    for (const given of [0, t.parameters.reserve]) {
      const one = await asking(t, given);
      const answer = await Promise.race([one.answer, t.sleep(1500, {})]);
      const asked = one.visits().length;
      for (const visit of one.visits()) visit.answer("");
      t.ok(
        asked === 0,
        `a request had ${given} ms, all of which the server keeps for itself, but the upstream was asked`,
        {
          saw: asked,
          wanted: 0,
        },
      );
      t.equal(answer.error ?? answer.status, 504, `a request had ${given} ms, but got no 504`);
    }
  },
};
