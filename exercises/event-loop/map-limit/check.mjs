const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("mapLimit");
    return student;
  });
const counted = (calls) => (calls === 1 ? "1 call" : `${calls} calls`);
const words = (t, count) => Array.from({ length: count }, () => t.token().slice(0, 5));

// The order in which calls end when p may be under way and any of them may be the next: what a right answer makes possible.
function ending(t, count, p) {
  const order = [];
  const open = [];
  for (let next = 0; order.length < count; ) {
    while (open.length < p && next < count) open.push(next++);
    order.push(...open.splice(t.random.integer(0, open.length - 1), 1));
  }
  return order;
}
async function play(t, given) {
  const run = { ...given, ...(await (await asked(t)).scene("play", given)) };
  if (run.threw !== undefined)
    t.miss(`mapLimit threw an error (${run.threw}) instead of returning a promise`);
  return run;
}
const good = (t) =>
  t.once("good", async () => {
    const [count, p] = [t.random.integer(12, 20), t.random.integer(3, 5)];
    // Number 0 is the slowest: it ends last.
    const order = ending(t, count - 1, p - 1).map((i) => i + 1);
    return play(t, {
      items: words(t, count),
      p,
      ends: [...order, 0].map((index) => ({ index, how: "value" })),
    });
  });
// One of those under way fails, then two more of them do.
const bad = (t) =>
  t.once("bad", async () => {
    const p = t.random.integer(4, 6);
    const underWay = t.random.shuffle([...Array(p).keys()]);
    const ends = underWay.map((index, i) => ({ index, how: i < 3 ? "error" : "value" }));
    return play(t, { items: words(t, 20), p, failing: underWay[0], ends });
  });
// One of those under way fails, and in the same callback another one is done.
const tied = (t) => {
  const p = t.random.integer(2, 5);
  const [failing, also] = t.random.shuffle([...Array(p).keys()]);
  return play(t, {
    items: words(t, 20),
    p,
    failing,
    ends: [{ index: failing, how: "error", also }],
  });
};

export default {
  async results(t) {
    const empty = await play(t, { items: [], p: 3, ends: [] });
    t.equal(
      empty.outcome,
      { value: [] },
      "for an empty list, the promise did not resolve to an empty list",
    );
    const few = words(t, 2);
    const small = await play(t, {
      items: few,
      p: 5,
      ends: [1, 0].map((index) => ({ index, how: "value" })),
    });
    for (const { items, outcome, calls } of [await good(t), small]) {
      t.ok(
        outcome !== null,
        `all calls for ${items.length} items were done, but the promise of mapLimit did not settle`,
      );
      const wanted = items.map((item) => `${item}!`);
      const saw = outcome.value;
      if (
        Array.isArray(saw) &&
        saw.join() !== wanted.join() &&
        [...saw].sort().join() === [...wanted].sort().join()
      )
        t.miss(
          "the results are in the order in which they arrived, not in the order of the items",
          {
            saw,
            wanted,
          },
        );
      t.equal(saw, wanted, "the promise did not resolve to the results of the calls", {
        saw,
        wanted,
      });
      t.equal(
        [...calls].sort((a, b) => a.index - b.index),
        items.map((item, index) => ({ item, index })),
        "fn was not called once for each item, with the item and its index",
      );
    }
  },

  async limit(t) {
    const { most, p, steps, items } = await good(t);
    t.plot(
      "Calls under way",
      steps.map(({ open }, i) => [i, open]),
      { x: "calls that are done", y: "calls under way" },
    );
    t.plot(
      "Calls under way",
      steps.map((_, i) => [i, Math.min(p, items.length - i)]),
      { x: "calls that are done", y: "calls under way", of: "the reference" },
    );
    if (most === items.length)
      t.miss(`with ${items.length} items and p = ${p}, there were calls for all of them at once`, {
        saw: most,
        wanted: p,
      });
    t.ok(
      most <= p,
      `with ${items.length} items and p = ${p}, ${most} calls were under way at once`,
    );
    for (const [i, { open }] of steps.entries()) {
      const wanted = Math.min(p, items.length - i);
      t.ok(
        open === wanted,
        i === 0
          ? `with ${items.length} items and p = ${p}, ${open} calls began before any call was done`
          : `with p = ${p}, one of ${steps[i - 1].open} calls was done and other items were still waiting, but no new call began. The slowest call of a batch must not hold up the next call`,
        { saw: `${open} under way`, wanted: `${wanted}` },
      );
    }
  },

  async fails(t) {
    const { steps, failing, items: twenty, p, begun } = await bad(t);
    const at = steps.findIndex(({ index, kind }) => index === failing && kind === "error");
    t.ok(at >= 0, `with p = ${p}, a call that should have been under way was not`);
    const { outcome } = steps[at];
    t.ok(
      outcome !== null,
      `one call failed while ${p - 1} others were under way, but the promise was not rejected at once. It should not wait for the other calls`,
    );
    t.equal(
      outcome,
      { error: `no ${twenty[failing]}` },
      "one call failed, but mapLimit did not reject with its error",
    );
    const before = steps[at - 1].begun;
    t.ok(begun === before, `one call failed, but ${counted(begun - before)} began after that`, {
      wanted: "none",
    });
    const tie = await tied(t);
    const [start, end] = tie.steps;
    t.ok(end, `with p = ${tie.p}, two calls that should have been under way were not`);
    t.equal(
      end.outcome,
      { error: `no ${tie.items[tie.failing]}` },
      "one call failed, and another call was done right after it in the same callback, but mapLimit did not reject with the error of the first call",
    );
    t.ok(
      tie.begun === start.begun,
      `one call failed, and another call was done right after it in the same callback. After that, ${counted(tie.begun - start.begun)} began`,
      { wanted: "none, because the failure came first" },
    );
    // The last one of a batch throws: also who begins two at once, which `limit` judges, has begun four and no more.
    const items = words(t, 9);
    const thrown = await play(t, {
      items,
      p: 2,
      ends: [0, 1, 3, 2].map((index) => ({ index, how: index === 3 ? "throws" : "value" })),
    });
    t.equal(
      thrown.outcome,
      { error: `no ${items[3]}` },
      "fn threw at once for the fourth item, but mapLimit did not reject with that error",
    );
    t.ok(
      thrown.begun <= 4,
      `fn threw at once for the fourth item, but ${counted(thrown.begun - 4)} began after that`,
      { wanted: "none" },
    );
  },

  async aborts(t) {
    const well = await good(t);
    t.ok(well.isSignal && well.signals === 1, "fn did not get the same AbortSignal in every call");
    t.ok(!well.aborted, "no call failed, but the signal was aborted");
    const { steps, failing } = await bad(t);
    const at = steps.find(({ index, kind }) => index === failing && kind === "error");
    t.ok(
      at?.aborted,
      "one call failed, but the signal was not aborted, so the calls under way continue although their results are no longer needed",
    );
  },

  async quiet(t) {
    const { unhandled } = await bad(t);
    t.ok(
      unhandled.length === 0,
      `three calls failed and mapLimit's rejection was handled, but other rejections (${unhandled.length}) were not handled`,
      {
        saw: unhandled,
      },
    );
  },
};
