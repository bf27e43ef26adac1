const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("deal");
    return student;
  });
const deal = async (t, processes, events) =>
  (await (await asked(t)).call("deal", processes, events)) ?? {};
const connect = (id) => ({ is: "connect", id });
const request = (id) => ({ is: "request", id });
const begins = (process) => ({ is: "begins", process });
const done = (process) => ({ is: "done", process });

const names = (from, count) => Array.from({ length: count }, (_, i) => `c${from + i}`);
const owned = (said, ids) => ids.map((id) => said.owners?.[id]);
const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);

export default {
  async turn(t) {
    const processes = t.random.integer(2, 5);
    const ids = names(1, processes * 2 + 1);
    const said = await deal(t, processes, ids.map(connect));
    const wanted = ids.map((_, i) => 1 + (i % processes));
    t.ok(
      same(owned(said, ids), wanted),
      "all processes are free, but they are not given the connections in turn, beginning with process 1",
      { saw: owned(said, ids), wanted },
    );
  },

  async kept(t) {
    const ids = names(1, 4);
    const asks = [...ids, ids[0], ids[0]];
    const events = [...ids.map(connect), begins(1), ...asks.map(request), done(1), request(ids[0])];
    const said = await deal(t, 2, events);
    const wanted = [true, false, true, false, true, true, false];
    const { waits = [] } = said;
    const seen = { saw: waits, wanted };
    t.ok(
      waits.length === wanted.length,
      "`waits` does not have one entry for each request, in the order of the requests",
      seen,
    );
    t.ok(
      waits.some(Boolean),
      "process 1 is computing, but the requests on its connections do not wait",
      seen,
    );
    t.ok(!waits.at(-1), "process 1 is done, but a request on its connection still waits", seen);
    t.ok(
      same(waits, wanted),
      "the wrong requests wait. A connection stays with the process that it was given to, because requests are not dealt",
      seen,
    );
  },

  async busy(t) {
    const ids = names(1, 6);
    const events = [begins(1), ...ids.map(connect), ...ids.map(request)];
    const said = await deal(t, 3, events);
    const saw = owned(said, ids);
    const seen = { saw, wanted: [1, 2, 3, 2, 3, 2] };
    t.ok(
      saw.includes(1),
      "process 1 is computing and is first in the line, so it should be given a connection",
      seen,
    );
    t.ok(
      saw.filter((one) => one === 1).length === 1,
      "process 1 is computing and has not yet taken the connection that it was given, but is given another one",
      seen,
    );
    t.ok(
      same(saw, seen.wanted),
      "the other processes are not given the remaining connections in turn",
      seen,
    );
    const back = await deal(t, 2, [
      begins(1),
      ...names(1, 3).map(connect),
      done(1),
      ...names(4, 3).map(connect),
    ]);
    const later = { saw: owned(back, names(1, 6)), wanted: [1, 2, 2, 2, 1, 2] };
    t.ok(
      same(later.saw, later.wanted),
      "a process that is done should go to the end of the line, and be given connections again",
      later,
    );
  },

  async nobody(t) {
    const ids = names(1, 5);
    const events = [
      begins(1),
      begins(2),
      ...ids.map(connect),
      request("c4"),
      done(2),
      request("c4"),
    ];
    const said = await deal(t, 2, events);
    const seen = {
      saw: { owners: owned(said, ids), waits: said.waits },
      wanted: { owners: [1, 2, 2, 2, 2], waits: [true, false] },
    };
    const before = await deal(t, 2, events.slice(0, 7));
    const nobody = { saw: owned(before, ids), wanted: [1, 2, 0, 0, 0] };
    t.ok(
      same(nobody.saw, nobody.wanted),
      "no process is in the line, but connections were dealt. They should wait, with 0 as their owner",
      nobody,
    );
    t.ok(
      same(seen.saw.owners, seen.wanted.owners),
      "when a process was done, the waiting connections were not dealt in the order in which they arrived",
      seen,
    );
    t.ok(
      same(seen.saw.waits, seen.wanted.waits),
      "the wrong requests wait. A request waits until its connection has been dealt to a process",
      seen,
    );
  },
};
