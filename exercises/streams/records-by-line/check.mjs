const KIB = 1024;
const LIMIT = 1000;
const WORDS = ["bytes", "Müller", "€uro", "中文", "😀", "ßeta", "Ελλάς", "x"];

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("records");
    return student;
  });

const record = (t) => ({
  id: t.token(),
  name: t.random.shuffle(WORDS).slice(0, 3).join(" "),
  at: t.random.integer(1, 1e6),
  list: [t.random.integer(0, 9), null, true],
});
const records = (t, count) => Array.from({ length: count }, () => record(t));
const cut = (bytes, size) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
const WAYS = {
  "in one chunk": 1e9,
  "in chunks of 1 byte": 1,
  "in chunks of 2 bytes": 2,
  "in chunks of 7 bytes": 7,
  "in chunks of 50 bytes": 50,
};

async function fed(t, text, { limit = LIMIT, ways = WAYS } = {}) {
  const bytes = Buffer.from(text);
  const runs = await (await asked(t)).scene("feed", {
    limit,
    ways: Object.values(ways).map((size) => cut(bytes, size)),
  });
  return runs.map((run, at) => {
    t.ok(!run.none, "`records` did not return a Transform");
    return { way: Object.keys(ways)[at], ...run };
  });
}
const json = (objects) => objects.map((each) => JSON.stringify(each));
const told = ({ error }) => `${error.name}: ${error.message}`;

function same(t, run, wanted, what) {
  if (run.error)
    t.miss(`with ${what}, ${run.way}, the stream ended with ${told(run)}`, {
      saw: json(run.objects),
      wanted: json(wanted),
    });
  t.equal(json(run.objects), json(wanted), `with ${what}, ${run.way}, the wrong objects came out`);
}

export default {
  async records(t) {
    for (let round = 0; round < 2; round++) {
      const wanted = records(t, t.random.integer(5, 9));
      const text = `${json(wanted).join("\n")}\n`;
      for (const run of await fed(t, text)) {
        const what = `${wanted.length} lines`;
        const saw = json(run.objects);
        if (!run.error && saw.length === wanted.length && saw.join().includes("\ufffd"))
          t.miss(
            `with ${what}, ${run.way}, characters are broken, as if each chunk were decoded alone`,
            { saw, wanted: json(wanted) },
          );
        if (run.error?.name === "SyntaxError")
          t.miss(
            `with ${what}, ${run.way}, the stream ended with ${told(run)}. Is each chunk treated as whole lines?`,
            { saw, wanted: json(wanted) },
          );
        same(t, run, wanted, what);
      }
    }
  },

  async lines(t) {
    const wanted = records(t, 4);
    const [a, b, c, d] = json(wanted);
    for (const [what, text] of [
      ["lines that end in CRLF", `${a}\r\n${b}\r\n${c}\r\n${d}\r\n`],
      [
        "lines that end in LF or CRLF, with empty lines in between",
        `\n${a}\n\n\n${b}\r\n\r\n${c}\r\n${d}\n\n`,
      ],
      ["a last line that does not end in a line feed", `${a}\n${b}\n${c}\n${d}`],
    ])
      for (const run of await fed(t, text)) same(t, run, wanted, what);
    for (const run of await fed(t, "")) same(t, run, [], "no lines at all");
  },

  async invalid(t) {
    const before = records(t, t.random.integer(2, 5));
    const bad = t.random.pick(["{", "no JSON", '{"a": 1,}', "{'a': 1}"]);
    const line = before.length + 2;
    const text = `${json(before).join("\n")}\n\n${bad}\n${json(records(t, 2)).join("\n")}\n`;
    for (const run of await fed(t, text)) {
      const what = `line ${line} is not JSON`;
      t.ok(run.error, `${what}, but the stream did not end with an error`, {
        saw: json(run.objects),
      });
      t.equal(
        run.error.name,
        "SyntaxError",
        `${what}, but the stream ended with the wrong error (${run.error.message})`,
      );
      t.equal(
        run.error.line,
        line,
        `${what}, but the error does not have that number in its property \`line\``,
      );
      t.equal(
        json(run.objects),
        json(before),
        `${what}, but the objects that came out are not exactly those from the lines before it`,
      );
    }
  },

  async bounded(t) {
    const of = (bytes, character) => {
      const empty = JSON.stringify({ s: "" }).length;
      const fill = bytes - empty;
      const one = Buffer.byteLength(character);
      return JSON.stringify({
        s: character.repeat(Math.floor(fill / one)) + "x".repeat(fill % one),
      });
    };
    const limit = t.random.integer(400, 600);
    for (const end of ["\n", "\r\n"]) {
      const text = of(limit, "x");
      for (const run of await fed(t, text + end, { limit }))
        same(
          t,
          run,
          [JSON.parse(text)],
          `records(${limit}) and a line of exactly ${limit} bytes, ended by ${JSON.stringify(end)}`,
        );
    }
    for (const character of ["x", "€"])
      for (const run of await fed(t, `${of(limit + 1, character)}\n`, { limit })) {
        const what = `with records(${limit}) and a line of ${limit + 1} bytes, ${run.way}`;
        if (character === "€" && !run.error)
          t.miss(
            `${what}, an object came out. The line has fewer characters than bytes, and the limit is in bytes`,
            {
              wanted: "a RangeError",
            },
          );
        t.ok(run.error, `${what}, an object came out`, { wanted: "a RangeError" });
        t.equal(run.error.name, "RangeError", `${what}, the stream ended with ${told(run)}`);
      }
    const size = 10;
    const endless = "x".repeat(100 * limit);
    for (const run of await fed(t, `{"s":"${endless}`, {
      limit,
      ways: { "in chunks of 10 bytes": size },
    })) {
      const most = Math.ceil((limit + 1) / size) + 2;
      t.ok(
        run.fed <= most,
        `with records(${limit}) and a line that never ends, the stream took ${run.fed} chunks of it, of ${size} bytes each, before the stream ended`,
        {
          saw: `${run.fed * size} bytes`,
          wanted: `a RangeError after ${limit + 1} bytes`,
        },
      );
      t.equal(
        run.error?.name,
        "RangeError",
        "with a line that never ends, the stream did not end with a RangeError",
      );
    }
  },

  async linear(t) {
    const size = t.random.integer(250, 300) * KIB;
    const chunk = 64;
    const { looked, fed, chunks, right } = await (await asked(t)).scene("long", {
      size,
      chunk,
      enough: 12 * size,
    });
    const mib = (bytes) => `${(bytes / KIB / KIB).toFixed(1)} MiB`;
    t.ok(
      looked <= 10 * size,
      `one line of ${mib(size)} arrived in ${chunks} chunks. After ${fed} of them, ${mib(looked)} had been searched or joined, so bytes that have been searched are searched again with each chunk`,
      {
        saw: mib(looked),
        wanted: `a few times ${mib(size)} when all have arrived`,
      },
    );
    t.ok(right, `the object of one line of ${mib(size)} in ${chunks} chunks did not come out`);
    t.note(
      "bytes searched or joined for each byte of a long line",
      Number((looked / size).toFixed(2)),
    );
  },
};
