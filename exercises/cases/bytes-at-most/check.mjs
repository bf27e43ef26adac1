const student = (t) =>
  t.once("module", async () => {
    const module = await t.module();
    module.needs("cache");
    return module;
  });

async function played(t, steps) {
  const run = await (await student(t)).scene("play", { steps });
  t.ok(!run.none, "`cache` did not return an object with `get` and `set`");
  return run.after;
}
const keys = (t, count) => Array.from({ length: count }, () => t.token());
const sizes = (answers) => answers.map(({ size }) => size ?? "undefined");

export default {
  async kept(t) {
    const [first, second, never] = keys(t, 3);
    const size = t.random.integer(1000, 3000);
    const [, , a, b, c] = await played(t, [
      { set: first, size, fill: 7 },
      { set: second, size: 10, fill: 9 },
      { get: first },
      { get: second },
      { get: never },
    ]);
    t.equal(
      [a.size, a.fill, a.same],
      [size, 7, true],
      "`get` did not return the bytes that had been set",
    );
    t.equal(
      [b.size, b.fill, b.same],
      [10, 9, true],
      "`get` did not return the bytes that had been set",
    );
    t.equal(c.size, null, "`get` returned a value for a key that was never set");
  },

  async bound(t) {
    const { most } = t.parameters;
    const part = Math.floor(most / 8);
    const steps = keys(t, 30).map((set, i) => ({ set, size: part - (i % 5), fill: i }));
    const sums = (await played(t, steps)).map(({ bytes }) => bytes);
    const largest = Math.max(...sums);
    t.ok(largest <= most, `${largest} bytes were kept, which is more than the limit`, {
      wanted: `${most} bytes or fewer`,
    });
    t.ok(
      largest > most / 2,
      `the cache never kept more than ${largest} bytes, although ${most} are allowed`,
    );
    const [again, other] = keys(t, 2);
    const twice = await played(t, [
      { set: other, size: 11, fill: 1 },
      ...Array.from({ length: 20 }, (_, i) => ({ set: again, size: part + i, fill: i })),
      { get: other },
    ]);
    const { bytes } = twice.at(-2);
    t.equal(
      bytes,
      part + 19 + 11,
      "a key was set again and again, and the value of `bytes` is wrong",
    );
    t.equal(
      twice.at(-1).size,
      11,
      "a key was set again and again, and another key's value was dropped",
    );
  },

  async order(t) {
    const { most } = t.parameters;
    const size = Math.floor(most / 4);
    const names = keys(t, 4);
    const [late] = keys(t, 1);
    const run = await played(t, [
      ...names.map((set, i) => ({ set, size, fill: i })),
      { get: names[0] },
      { set: names[1], size, fill: 8 },
      { set: late, size, fill: 9 },
      ...[...names, late].map((get) => ({ get })),
    ]);
    const answers = run.slice(-5);
    const seen = { saw: sizes(answers).join(", ") };
    const lost = answers.filter(({ size }) => size === null).length;
    t.ok(answers[4].size === size, "a value that fits was set, but was not kept", seen);
    t.ok(
      lost <= 1,
      `one value needed room, but ${lost} values were dropped, which is more than was needed`,
      seen,
    );
    t.ok(answers[0].size === size, "a value that had been read a moment ago was dropped", seen);
    t.ok(answers[1].size === size, "a value that had been set a moment ago was dropped", seen);
    t.ok(
      answers[2].size === null,
      "the value that was dropped was not the least recently used one",
      seen,
    );
    // A new value takes the room of its key's earlier value.
    const half = Math.floor(most / 2);
    const [old, renewed] = keys(t, 2);
    const replaced = await played(t, [
      { set: old, size: half, fill: 1 },
      { set: renewed, size: half, fill: 2 },
      { set: renewed, size: half, fill: 3 },
      { get: old },
      { get: renewed },
    ]);
    t.equal(
      sizes(replaced.slice(-2)),
      [half, half],
      "a key was set again, and its new value fits in the room of its earlier value, but a value is missing",
    );
  },

  async large(t) {
    const { most } = t.parameters;
    const [small, huge] = keys(t, 2);
    const run = await played(t, [
      { set: small, size: 500, fill: 1 },
      { set: huge, size: 400, fill: 2 },
      { set: huge, size: most + 1, fill: 3 },
      { get: small },
      { get: huge },
    ]);
    const [{ bytes }, a, b] = run.slice(-3);
    const what = "a value larger than the limit was set";
    t.equal(a.size, 500, `${what}, and another value was dropped`);
    t.equal(b.size, null, `${what}, but its key still has a value`);
    t.equal(bytes, 500, `${what}, and the value of \`bytes\` is wrong`);
  },

  async memory(t) {
    const names = keys(t, 3);
    const steps = names.map((set) => ({ set, size: 20_000, fill: 5, chunk: 1_000_000 }));
    const run = await played(t, [...steps, ...names.map((get) => ({ get }))]);
    for (const { size, memory } of run.slice(-3)) {
      t.equal(size, 20_000, "a value that is a view of a larger chunk was not kept");
      t.ok(
        memory < 100_000,
        `a view of 20,000 bytes was kept, and it keeps ${memory} bytes of memory alive`,
      );
    }
    const [small] = keys(t, 1);
    const little = await played(t, [
      { set: small, size: 100, fill: 5, chunk: 5000 },
      { get: small },
    ]);
    const { size, memory } = little.at(-1);
    t.equal(size, 100, "a small value that is a view of a larger chunk was not kept");
    t.ok(
      memory < 1000,
      `a view of 100 bytes was kept, and it keeps ${memory} bytes of memory alive. \`Buffer.from\` puts small copies into a larger block as well`,
    );
  },
};
