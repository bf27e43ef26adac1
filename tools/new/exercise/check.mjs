// One function for each criterion. lab/node/grader/README.md says what `t` can do.
const asked = (t) => t.once("module", () => t.module());

export default {
  async sum(t) {
    const student = await asked(t);
    const [a, b] = [t.random.integer(1, 999), t.random.integer(1, 999)];
    t.equal(await student.call("add", a, b), a + b, `add(${a}, ${b}) did not return the sum`);
  },

  async text(t) {
    const student = await asked(t);
    const saw = await student.call("add", "1", "2").catch((error) => error);
    if (saw === "12")
      t.miss("two texts were joined instead of refused", { saw, wanted: "a TypeError" });
    t.ok(saw?.name === "TypeError", "two texts were not refused", { saw, wanted: "a TypeError" });
  },
};
