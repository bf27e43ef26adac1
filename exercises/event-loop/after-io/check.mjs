const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("afterIO");
    return student;
  });
const words = (t, count) => Array.from({ length: count }, () => t.token().slice(0, 5));
const path = (student, name) => `${student.at.work}/${name}`;

export default {
  async once(t) {
    const student = await asked(t);
    for (const throws of [false, true]) {
      const three = words(t, 3);
      const { seen } = await student.scene("places", {
        words: three,
        thrower: throws ? three[1] : "",
      });
      for (const { from, ran } of seen) {
        const count = ran.length;
        if (throws && count < 3)
          t.miss(
            `when afterIO was called from ${from}, the second of three functions threw, and only ${count} of the three ran. An error in one function must not stop the others`,
          );
        t.ok(
          count === 3,
          `when afterIO was called from ${from}, three functions ran ${count} times in all, but each of them should run once`,
          {
            wanted: "each once",
          },
        );
        t.ok(
          !ran.some(({ early }) => early),
          `when afterIO was called from ${from}, a function ran before afterIO had returned`,
        );
        for (const { given } of ran)
          t.ok(
            given.length === 2 && three.includes(given[0]) && given[1] === 3,
            `when afterIO was called from ${from}, a function did not get the arguments that were passed to afterIO with it`,
            {
              saw: given,
              wanted: [three[0], 3],
            },
          );
      }
    }
  },

  async turn(t) {
    const student = await asked(t);
    for (let run = 0; run < 5; run++) {
      const two = words(t, 2);
      const came = await student.scene("turn", { path: path(student, `turn${run}`), words: two });
      const wanted = ["data", "tick", "microtask", "data", ...two, "timer"];
      const first = Math.min(...two.map((word) => came.indexOf(word)));
      const said = came.map((each) =>
        two.includes(each) ? `function ${two.indexOf(each) + 1}` : each,
      );
      const seen = {
        saw: said,
        wanted: wanted.map((each) =>
          two.includes(each) ? `function ${two.indexOf(each) + 1}` : each,
        ),
      };
      if (first < 0)
        t.miss(
          "a function that was deferred in a connection's callback had still not run 20 ms later",
          seen,
        );
      if (first < came.lastIndexOf("data"))
        t.miss(
          "a function ran before other data of the same poll phase was handled, so a client had to wait for that function",
          seen,
        );
      if (came.indexOf("timer") < came.indexOf(two[1]))
        t.miss(
          "a function ran after a timer that was due, but a deferred function should run before the loop checks its timers",
          seen,
        );
      t.equal(
        came,
        wanted,
        "functions that were deferred in the poll phase ran in the wrong order",
      );
    }
  },

  async again(t) {
    const student = await asked(t);
    for (let run = 0; run < 3; run++) {
      const came = await student.scene("again", { path: path(student, `again${run}`) });
      t.ok(came.includes("first"), "a deferred function never ran", { saw: came });
      t.ok(
        came.includes("second"),
        "a deferred function deferred a second function, which never ran",
        { saw: came },
      );
      t.ok(
        came.indexOf("data") < came.indexOf("second"),
        "a deferred function deferred a second function, and both ran without polling in between. A function that defers itself again and again would then keep the loop from polling",
        { saw: came, wanted: ["first", "data", "second"] },
      );
    }
  },

  async alive(t) {
    const student = await t.module();
    student.needs("afterIO");
    const word = t.token();
    await student.scene("last", { word });
    await student.finish();
    t.ok(
      await t.until(
        () => student.events.some(({ name, value }) => name === "ran" && value === word),
        500,
      ),
      "the process had nothing else to do, and ended before the deferred function had run",
    );
  },

  async cancel(t) {
    const student = await asked(t);
    const all = words(t, 6);
    const cancelled = t.random.shuffle(all).slice(0, 3);
    const { ran, kind } = await student.scene("cancel", { words: all, cancelled });
    t.ok(!kind, "afterIO did not return a function that cancels the call", { saw: kind });
    const number = (word) => all.indexOf(word) + 1;
    const wrong = ran.find((word) => cancelled.includes(word));
    t.ok(
      !wrong,
      `function ${number(wrong)} of six was cancelled right after it had been deferred, but it ran`,
    );
    t.equal(
      ran.map(number),
      all.filter((word) => !cancelled.includes(word)).map(number),
      "three of six functions were cancelled. The other three should each have run once, in order, but did not",
    );
  },
};
