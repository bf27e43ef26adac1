const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("scan");
    return module;
  });

/** So many ids, rising, with gaps. */
const gapped = (t, count) => {
  let id = 0;
  return Array.from({ length: count }, () => {
    id += t.random.integer(1, 5);
    return id;
  });
};
const played = async (t, given) => (await student(t)).scene("scan", given);
const pagesOf = ({ pages }) => pages.map(({ limit }) => limit).join(", ");

export default {
  async rows(t) {
    const { most } = t.parameters;
    for (const count of [0, 1, most - 1, most, 3 * most + t.random.integer(1, most - 1)]) {
      const ids = gapped(t, count);
      const run = await played(t, { ids });
      const what = `a table had ${count} rows`;
      if (run.error) t.miss(`${what}, but the promise was rejected with ${run.error}`);
      t.ok(run.settled, `${what}, but the promise did not settle`);
      t.equal(run.ids, ids, `${what} with gaps between their ids, but \`each\` got the wrong rows`);
      t.equal(run.value, count, `${what}, but the promise resolved to the wrong number`);
    }
  },

  async turns(t) {
    const { most } = t.parameters;
    const run = await played(t, { ids: gapped(t, 6 * most + 7) });
    t.ok(run.pages.length > 0, "no page was requested");
    const longest = Math.max(...run.pages.map(({ limit }) => limit ?? Infinity));
    t.ok(longest <= most, `${longest} rows at a time were requested`, {
      wanted: `${most} or fewer`,
    });
    const close = run.pages.filter(({ turns }, i) => i > 0 && turns === run.pages[i - 1].turns);
    t.ok(
      close.length === 0,
      `the loop did not turn between some pages. Of ${run.pages.length} pages, ${close.length} were read in the same turn as the previous page`,
      { wanted: "a turn between any two pages, in which a ping can be answered" },
    );
  },

  async thrifty(t) {
    const { most } = t.parameters;
    for (const count of [10, 4 * most + t.random.integer(1, most - 1), 2 * most]) {
      const run = await played(t, { ids: gapped(t, count) });
      const least = Math.floor(count / most) + 1;
      const what = `a table of ${count} rows was read in pages of ${most}`;
      const seen = { saw: `${run.pages.length} pages, of ${pagesOf(run).slice(0, 60)} rows` };
      if (run.pages.length === least + 1 && run.pages.at(-1).count === 0)
        t.miss(`${what}, and after a page that was not full, another one was requested`, seen);
      t.ok(run.pages.length <= least, `${what}, and ${run.pages.length} pages were requested`, {
        ...seen,
        wanted: least,
      });
    }
  },

  async stops(t) {
    const { most } = t.parameters;
    const ids = gapped(t, 5 * most);
    const reason = t.token();
    for (const abortAt of [0, most + t.random.integer(1, most - 1)]) {
      const run = await played(t, { ids, abortAt, reason });
      const what = abortAt
        ? `the signal was aborted while row ${abortAt} was being read`
        : "the signal was aborted before the first page";
      t.ok(run.more === 0, `${what}, but further pages were requested`, { saw: run.more });
      t.equal(
        run.error ?? `${run.value}`,
        reason,
        `${what}, but the promise was not rejected with the reason`,
      );
    }
    const throwAt = most + t.random.integer(1, most - 1);
    const run = await played(t, { ids, throwAt, reason });
    const what = `\`each\` threw at row ${throwAt}`;
    t.equal(
      run.error ?? "no error",
      reason,
      `${what}, but the promise was not rejected with that error`,
    );
    t.ok(run.more === 0, `${what}, but further pages were requested`, { saw: run.more });
  },
};
