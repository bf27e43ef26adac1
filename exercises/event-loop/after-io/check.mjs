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
            `called from ${from}: the second of three functions threw, and only ${count} of the three ran, but its error must not stop the others`,
          );
        t.ok(count === 3, `called from ${from}: three functions ran ${count} times in all`, {
          wanted: "each once",
        });
        t.ok(
          !ran.some(({ early }) => early),
          `called from ${from}: a function ran before afterIO had returned`,
        );
        for (const { given } of ran)
          t.ok(
            given.length === 2 && three.includes(given[0]) && given[1] === 3,
            `called from ${from}: a function did not get the arguments that were passed to afterIO for it`,
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
        t.miss("a function deferred in the callback of a connection had not run 20 ms later", seen);
      if (first < came.lastIndexOf("data"))
        t.miss(
          "a function ran before other data of the same poll was served, so a client waited for it",
          seen,
        );
      if (came.indexOf("timer") < came.indexOf(two[1]))
        t.miss(
          "a function ran after a timer that was due, but check comes before the timers",
          seen,
        );
      t.equal(came, wanted, "functions deferred in the poll phase ran in the wrong order");
    }
  },

  async again(t) {
    const student = await asked(t);
    for (let run = 0; run < 3; run++) {
      const came = await student.scene("again", { path: path(student, `again${run}`) });
      t.ok(came.includes("first"), "a function was never called", { saw: came });
      t.ok(
        came.includes("second"),
        "a deferred function deferred another one, which was never called",
        { saw: came },
      );
      t.ok(
        came.indexOf("data") < came.indexOf("second"),
        "a deferred function deferred another one, and both ran without polling in between, so functions that defer themselves again would stop a server",
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
      "nothing else was left to do, but the process ended before the function had run",
    );
  },

  async cancel(t) {
    const student = await asked(t);
    const all = words(t, 6);
    const cancelled = t.random.shuffle(all).slice(0, 3);
    const { ran, kind } = await student.scene("cancel", { words: all, cancelled });
    t.ok(!kind, "afterIO did not return a function to cancel it", { saw: kind });
    const number = (word) => all.indexOf(word) + 1;
    const wrong = ran.find((word) => cancelled.includes(word));
    t.ok(
      !wrong,
      `number ${number(wrong)} of six functions was cancelled right after it was deferred, but ran`,
    );
    t.equal(
      ran.map(number),
      all.filter((word) => !cancelled.includes(word)).map(number),
      "three of six functions were cancelled, but the others did not each run once, in order",
    );
  },
};
