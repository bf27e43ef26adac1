const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("heaviest");
    return student;
  });

/** A profile of a call tree: {f: function, looks: [us, …], calls: [tree, …]}; looks come in a mixed order, as they do. */
function profileOf(t, roots) {
  const nodes = [];
  const looks = [];
  let next = t.random.integer(1, 9);
  const add = ({ f, own = [], calls = [] }) => {
    const node = { id: next, callFrame: { scriptId: "1", columnNumber: 0, ...f }, children: [] };
    next += t.random.integer(1, 4); // ids need not be places
    nodes.push(node);
    for (const us of own) looks.push({ id: node.id, us });
    node.children.push(...calls.map(add));
    if (node.children.length === 0) delete node.children;
    return node.id;
  };
  add({ f: nodes_("(root)"), calls: roots });
  const mixed = t.random.shuffle(looks);
  return {
    nodes,
    startTime: 1e9,
    endTime: 1e9 + mixed.reduce((sum, { us }) => sum + us, 0),
    samples: mixed.map(({ id }) => id),
    timeDeltas: mixed.map(({ us }) => us),
  };
}
const nodes_ = (functionName) => ({ functionName, url: "", lineNumber: -1 });
const f = (functionName, file, lineNumber) => ({
  functionName,
  url: `file:///app/${file}.mjs`,
  lineNumber,
});
const us = (t, count) => Array.from({ length: count }, () => t.random.integer(200, 3000));
const ms = (...lists) => lists.flat().reduce((sum, one) => sum + one, 0) / 1000;
const near = (a, b) => Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b));

/** What heaviest says of one function. */
const of = (list, frame) =>
  list.filter(
    ({ name, url, line }) =>
      name === frame.functionName && url === frame.url && line === frame.lineNumber + 1,
  );
async function said(t, profile) {
  const list = await (await asked(t)).call("heaviest", profile);
  t.ok(Array.isArray(list), "`heaviest` did not return a list", { saw: list });
  return list;
}
export default {
  async entries(t) {
    const first = f("work", "a", t.random.integer(5, 90));
    const other = f("work", "b", first.lineNumber);
    const below = f("work", "a", first.lineNumber + 20);
    const profile = profileOf(t, [
      { f: first, own: us(t, 4), calls: [{ f: nodes_("(garbage collector)"), own: us(t, 3) }] },
      { f: other, own: us(t, 3), calls: [{ f: first, own: us(t, 2) }] },
      { f: below, own: us(t, 2) },
      { f: nodes_("(idle)"), own: us(t, 9) },
      { f: nodes_("(program)"), own: us(t, 2) },
    ]);
    const list = await said(t, profile);
    const idle = list.find(({ url }) => !url);
    t.ok(!idle, "a node that has no url has an entry, but should be left out", { saw: idle });
    const same = [first, other, below].map((frame) =>
      list.filter(({ name, url }) => name === "work" && url === frame.url),
    );
    t.ok(
      !list.some(({ line }) => line === first.lineNumber) ||
        list.some(({ line }) => line === first.lineNumber + 1),
      "lines are counted from 0, but editors count them from 1",
      { saw: first.lineNumber, wanted: first.lineNumber + 1 },
    );
    t.ok(
      list.length >= 3,
      "functions of the same name, in two files or on two lines, were treated as one",
      { saw: list.map(({ name, url, line }) => `${name} ${url}:${line}`) },
    );
    t.ok(
      of(list, first).length === 1 && list.length === 3,
      "a function that was called from two places has two entries",
      { saw: same[0].map(({ line }) => line), wanted: "one entry for each function" },
    );
  },

  async self(t) {
    const [a, b] = [f("parse", "parse", 3), f("total", "server", 11)];
    const [one, two, three] = [us(t, 5), us(t, 7), us(t, 3)];
    one[0] = 90_000; // a look that came late, as after a long block
    const list = await said(
      t,
      profileOf(t, [
        { f: b, own: two, calls: [{ f: a, own: one }] },
        { f: a, own: three },
        { f: nodes_("(idle)"), own: us(t, 12) },
      ]),
    );
    const [saw] = list.filter(({ name }) => name === "parse");
    if (saw && Number.isInteger(saw.self) && near(saw.self, one.length + three.length))
      t.miss(
        "`self` is a number of samples. Add up their times instead, because the time between two samples varies",
        {
          saw: saw.self,
          wanted: ms(one, three),
        },
      );
    const sum = list
      .filter(({ name }) => name === "parse")
      .reduce((all, each) => all + each.self, 0);
    t.ok(
      near(sum, ms(one, three)),
      "`self` is not the sum of the times of the function's samples. Each sample has its own entry in `timeDeltas`, at the same index",
      {
        saw: sum,
        wanted: ms(one, three),
      },
    );
  },

  async total(t) {
    const [walk, visit, leaf] = [
      f("walk", "tree", 1),
      f("visit", "tree", 20),
      f("leaf", "tree", 40),
    ];
    const [own, again, deep, below] = [us(t, 2), us(t, 3), us(t, 4), us(t, 5)];
    const collected = us(t, 2);
    const list = await said(
      t,
      profileOf(t, [
        {
          f: walk,
          own,
          calls: [
            {
              f: visit,
              own: again,
              calls: [
                { f: walk, own: deep, calls: [{ f: leaf, own: below }] },
                { f: nodes_("(garbage collector)"), own: collected },
              ],
            },
          ],
        },
      ]),
    );
    const sum = (name) =>
      list.filter((each) => each.name === name).reduce((all, { total }) => all + total, 0);
    const wanted = ms(own, again, deep, below, collected);
    const twice = wanted + ms(deep, below);
    if (near(sum("walk"), twice))
      t.miss(
        "the `total` of a function that calls itself is too large. Each moment should count only once",
        {
          saw: sum("walk"),
          wanted,
        },
      );
    t.ok(
      near(sum("leaf"), ms(below)),
      "the `total` of a function that makes no calls is not the same as its `self`",
      {
        saw: sum("leaf"),
        wanted: ms(below),
      },
    );
    t.ok(
      near(sum("walk"), wanted),
      "the `total` is not the time during which the function was anywhere on the stack",
      { saw: sum("walk"), wanted },
    );
  },

  async order(t) {
    const [outer, middle, inner] = [f("outer", "a", 1), f("middle", "a", 9), f("inner", "a", 20)];
    const list = await said(
      t,
      profileOf(t, [
        {
          f: outer,
          own: [10],
          calls: [
            {
              f: middle,
              own: [700, 700, 700, 700],
              calls: [{ f: inner, own: Array(60).fill(1000) }],
            },
          ],
        },
      ]),
    );
    t.equal(
      list.map(({ name }) => name).filter((name) => ["outer", "middle", "inner"].includes(name)),
      ["inner", "middle", "outer"],
      "the entries are in the wrong order. The function with the largest `self` should come first",
    );
  },
};
