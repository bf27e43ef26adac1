const MARK = 4;

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("pages");
    return student;
  });

/** Pages of so many items each, with names that tell nothing. */
const service = (t, sizes) => {
  const names = sizes.map(() => t.token());
  return sizes.map((size, at) => ({
    name: names[at],
    next: names[at + 1] ?? null,
    items: Array.from({ length: size }, () => ({ id: t.token() })),
  }));
};
const ids = (items) => items.map(({ id }) => id);
const all = (pages) => ids(pages.flatMap(({ items }) => items));
async function played(t, scene, given) {
  const run = await (await asked(t)).scene(scene, given);
  t.ok(!run.none, "`pages` did not return a Readable");
  return run;
}
/** The names of pages by their place. */
const places = (pages, names) =>
  names.map((name) => 1 + pages.findIndex((page) => page.name === name));

export default {
  async items(t) {
    const some = () => t.random.integer(1, 9);
    for (const sizes of [
      [some(), some(), some()],
      [1],
      [12, 5],
      [0, some(), 0, 0, some(), 0],
      [0],
    ]) {
      const pages = service(t, sizes);
      const run = await played(t, "flow", { pages });
      const what = `with the page sizes ${sizes.join(", ")}`;
      const seen = {
        saw: `${run.got.length} items, pages ${places(pages, run.fetched).join(", ")} fetched`,
        wanted: `${all(pages).length} items, then the end`,
      };
      if (new Set(run.fetched).size < run.fetched.length)
        t.miss(`${what}, a page was fetched more than once`, seen);
      if (run.error) t.miss(`${what}, the stream ended with the error ${run.error}`, seen);
      if (!run.ended && sizes.includes(0))
        t.miss(`${what}, nothing arrived after a page without items, not even the end`, seen);
      t.ok(run.ended, `${what}, the stream did not end`, seen);
      t.equal(ids(run.got), all(pages), `${what}, the wrong items arrived`);
    }
  },

  async pulled(t) {
    const pages = service(t, [10, t.random.integer(6, 9), 3, 8]);
    const run = await played(t, "slowly", { pages });
    t.equal(
      ids(run.got),
      all(pages),
      "when the items were read one after another, the wrong items arrived",
    );
    t.ok(run.most === 1, `${run.most} fetches were under way at the same time`, { wanted: 1 });
    t.plot(
      "Pages fetched by a slow reader",
      run.after.map((count, at) => [at + 1, count]),
      { x: "items read", y: "pages" },
    );
    t.ok(run.before === 0, `pages were fetched before the stream was read: ${run.before}`, {
      wanted: "none, because a stream that is not read requests nothing",
    });
    t.ok(
      run.unread <= MARK,
      `a page was fetched although ${run.unread} items were already in the stream and unread`,
      { wanted: `at most ${MARK} unread` },
    );
  },

  async stopped(t) {
    const pages = service(t, [5, 5, 5]);
    const run = await played(t, "destroyed", { pages, holds: pages[1].name });
    t.ok(run.waited, "the second page was never requested");
    t.ok(run.aborted.at(-1) !== null, "`fetch` did not get an AbortSignal", {
      wanted: "fetch(page, signal)",
    });
    t.ok(
      run.aborted.at(-1),
      "the stream was destroyed while a fetch was under way, but the fetch was not aborted",
    );
    t.ok(run.more === 0, `after the stream was destroyed, more pages were fetched: ${run.more}`);
    t.ok(run.closed, "the stream was destroyed, but did not emit close");
    t.ok(
      run.error === null,
      `the stream was destroyed without an error, but emitted the error ${run.error}`,
    );
    const many = service(
      t,
      Array.from({ length: 12 }, () => t.random.integer(2, 4)),
    );
    const enough = await played(t, "enough", { pages: many, after: t.random.integer(2, 5) });
    t.ok(
      enough.more === 0,
      `the stream was destroyed after its first items, but more pages were fetched after that: ${enough.more}`,
    );
  },

  async failed(t) {
    for (const at of [0, 2]) {
      const pages = service(t, [5, 5, 5]);
      const run = await played(t, "flow", { pages, fails: pages[at].name });
      const what = `the fetch of page ${at + 1} failed`;
      if (run.ended)
        t.miss(`${what}, but the stream ended as if that page were the last`, {
          wanted: "an error",
        });
      t.equal(
        run.error,
        `no page ${pages[at].name}`,
        `${what}, but the stream was not destroyed with that error`,
      );
      t.equal(
        ids(run.got),
        all(pages.slice(0, at)),
        `${what}, but the items that arrived were not exactly those from the pages before it`,
      );
    }
  },
};
