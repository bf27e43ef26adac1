const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("keep");
    return student;
  });

async function played(t, most, steps) {
  const { kind, gets } = await (await asked(t)).scene("play", { most, steps });
  t.ok(kind === undefined, "`keep` did not return a function", { saw: kind });
  return gets;
}
/** A file that is asked for, and loaded. */
const loaded = ({ name, bytes }) => [{ get: name }, { done: name, bytes }];

/** After `steps`: which of `files` are kept, as asking for them begins no load. */
async function keptAfter(t, most, steps, files) {
  const gets = await played(t, most, [...steps, ...files.map(({ name }) => ({ get: name }))]);
  const last = gets.slice(-files.length);
  return files.filter((_, i) => last[i].loads === 0 && last[i].bytes === files[i].bytes);
}
const file = (t, bytes) => ({ name: t.token(), bytes });
const sum = (files) => files.reduce((bytes, one) => bytes + one.bytes, 0);

export default {
  async once(t) {
    const { name, bytes } = file(t, t.random.integer(100, 5000));
    const crowd = t.random.integer(3, 8);
    const asks = Array.from({ length: crowd }, () => ({ get: name }));
    const gets = await played(t, 10_000, [...asks, { done: name, bytes }, ...asks]);
    const [first, after] = [gets.slice(0, crowd), gets.slice(crowd)];
    const loads = sum(first.map((one) => ({ bytes: one.loads })));
    t.ok(
      loads === 1,
      `${crowd} callers asked for a file at the same time, but it was loaded ${loads} times`,
      {
        saw: loads,
        wanted: 1,
      },
    );
    const unanswered = gets.find((one) => one.bytes !== bytes);
    t.ok(!unanswered, "a caller that asked for a file did not get that file", {
      saw: unanswered?.error ?? unanswered?.bytes ?? "nothing",
      wanted: `${bytes} bytes`,
    });
    t.ok(
      after.every((one) => one.loads === 0),
      "a file that had been loaded, and for which there was room, was loaded again",
    );
    t.ok(
      gets.every(({ same }) => same === 0),
      "each caller got its own copy, but one Buffer is enough for all",
    );
  },

  async bound(t) {
    const files = Array.from({ length: 5 }, () => file(t, t.random.integer(100, 900)));
    const most = sum(files.slice(0, 4)); // the four fit to the byte
    const full = await keptAfter(t, most, files.slice(0, 4).flatMap(loaded), files.slice(0, 4));
    t.ok(
      full.length === 4,
      `four files have exactly \`most\` bytes, but only ${full.length} were kept`,
      {
        wanted: 4,
      },
    );
    // Each larger than the one before, or smaller: whoever takes off another length than that of the file that goes is soon wrong.
    const growing = [100];
    while (growing.length < 12) growing.push(growing.at(-1) + t.random.integer(40, 90));
    for (const sizes of [growing, growing.toReversed()]) {
      const many = sizes.map((bytes) => file(t, bytes));
      const room = t.random.integer(1200, 1500);
      const stays = [...many];
      while (sum(stays) > room) stays.shift();
      const kept = await keptAfter(t, room, many.flatMap(loaded), many);
      const seen = {
        saw: `${kept.length} files, ${sum(kept)} bytes`,
        wanted: `at most ${room} bytes: the last ${stays.length} files`,
      };
      t.ok(sum(kept) <= room, "more bytes are kept than `most`", seen);
      t.ok(kept.length >= stays.length, "files were dropped for which there was room", seen);
      t.ok(
        stays.every(({ name }) => kept.some((one) => one.name === name)),
        "the files that were kept are not the last ones that fit",
        seen,
      );
    }
  },

  async oldest(t) {
    const files = Array.from({ length: 4 }, () => file(t, 100));
    const [asks, rest] = [files.slice(0, 3), files[3]];
    const [a, b, c] = asks;
    // The order in which they are asked for again: the first of them is never the one that was loaded first.
    const again = t.random.pick([
      [b, c, a],
      [c, a, b],
      [c, b, a],
      [b, a, c],
    ]);
    const steps = [...asks.flatMap(loaded), ...again.map(({ name }) => ({ get: name }))];
    for (const gone of [1, 2]) {
      const more = gone === 1 ? [rest] : [rest, file(t, 100)];
      const kept = await keptAfter(t, 300, [...steps, ...more.flatMap(loaded)], asks);
      const order = (some) => some.map(({ name }) => 1 + again.findIndex((a) => a.name === name));
      t.equal(
        order(kept).sort(),
        order(again.slice(gone)).sort(),
        `three files were requested again, one after the other, and then room was needed for new files (${gone}), but the files that were dropped are not the least recently requested ones`,
      );
    }
  },

  async large(t) {
    const files = Array.from({ length: 3 }, () => file(t, t.random.integer(50, 100)));
    const large = file(t, sum(files) + 1);
    const steps = [...files.flatMap(loaded), ...loaded(large)];
    const gets = await played(t, sum(files), steps);
    t.ok(
      gets.at(-1).bytes === large.bytes,
      "a file that is larger than `most` was not given to its caller",
    );
    const kept = await keptAfter(t, sum(files), steps, [...files, large]);
    t.ok(!kept.some(({ name }) => name === large.name), "a file larger than `most` was kept", {
      saw: `${large.bytes} bytes`,
      wanted: `at most ${sum(files)}`,
    });
    t.ok(
      kept.length === 3,
      `a file that is larger than \`most\` can't be kept, but ${3 - kept.length} of three others were dropped because of it`,
    );
  },

  async failed(t) {
    const { name, bytes } = file(t, 100);
    const gets = await played(t, 1000, [
      { get: name },
      { get: name },
      { fails: name },
      { get: name },
      { done: name, bytes },
    ]);
    const told = gets.slice(0, 2).filter(({ error }) => error === `no ${name}`);
    t.ok(told.length === 2, "a load failed, but not all waiting callers got its error", {
      saw: told.length,
      wanted: 2,
    });
    t.ok(
      gets[2].loads === 1 && gets[2].bytes === bytes,
      "a load had failed, but the next caller got the same failure without another load",
      { saw: gets[2].error ?? `${gets[2].loads} loads`, wanted: "another load" },
    );
  },
};
