const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("verdict");
    return student;
  });

/** A measure of which the new version is `least` to `most` times as bad. */
function measure(better, least, most) {
  const ratio = Math.sqrt(least * most);
  const turned = better === "less" ? [ratio, least, most] : [1 / ratio, 1 / most, 1 / least];
  const [middle, low, high] = turned.map((value) => Number(value.toPrecision(4)));
  return { name: `${better}-${least}`, better, ratio: middle, low, high };
}

const BOTH = ["less", "more"];
const all = (least, most) => BOTH.map((better) => measure(better, least, most));

async function said(t, measures, failed = 0) {
  const given = { failed, measures: t.random.shuffle(measures) };
  const answer = (await (await asked(t)).call("verdict", given)) ?? {};
  const names = (wanted) => given.measures.filter(wanted).map((one) => one.name);
  return { given, answer, names };
}

export default {
  async worse(t) {
    for (const better of BOTH) {
      const worse = measure(better, 1.2, 1.6);
      const well = measure(better, 0.5, 0.8);
      const { given, answer } = await said(t, [worse, well]);
      const seen = { saw: { comparison: given, answer }, wanted: { worse: [worse.name] } };
      const how = better === "more" ? "more is better" : "less is better";
      t.ok(
        answer.worse?.includes(worse.name) && !answer.worse?.includes(well.name),
        `for a measure of which ${how}, worse was mistaken for better, or better for worse`,
        seen,
      );
      t.equal(answer.code, 1, "a measure is worse, but `code` does not say so", seen);
    }
    const slight = await said(t, all(1.01, 1.04));
    t.equal(
      slight.answer.worse,
      [],
      "a measure was called worse, although it is worse by less than five per cent",
      { saw: slight },
    );
    const wide = await said(t, all(0.9, 1.5));
    t.equal(
      wide.answer.worse,
      [],
      "a measure was called worse because of its estimate, although its interval extends to values that are not worse",
      { saw: wide },
    );
  },

  async open(t) {
    const measures = [...all(0.9, 1.5), ...all(0.7, 0.8), ...all(0.98, 1.02), ...all(1.01, 1.3)];
    const { given, answer, names } = await said(t, measures);
    const wanted = names((one) => /-(0\.9|1\.01)$/.test(one.name));
    const seen = { saw: { comparison: given, answer } };
    t.equal(
      answer.open,
      wanted,
      "`open` does not name exactly the measures for which the trials can't tell whether the new version is worse by more than five per cent",
      seen,
    );
    t.equal(
      answer.code,
      0,
      "no measure is worse and for some the trials cannot tell, so the build should not be stopped",
      seen,
    );
  },

  async failed(t) {
    for (const measures of [all(1.2, 1.6), all(0.5, 0.8)]) {
      const { given, answer } = await said(t, measures, 3);
      t.equal(
        answer,
        { code: 2, worse: [], open: [] },
        "trials failed, so the versions could not be measured, and the new version is neither worse nor better",
        { saw: { comparison: given, answer } },
      );
    }
  },
};
