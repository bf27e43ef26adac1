const MIB = 1 << 20;
const LARGE = 64 * MIB;

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("handOver");
    return student;
  });

/** Bytes of one kind are handed over: what they were, what the worker got, what is left, and by how much memory has grown. */
const handed = (t, kind, size = 0) =>
  t.once(`${kind} ${size}`, async () => {
    const student = await asked(t);
    const begin = (each) => each.scene("begin", { kind, text: t.token(), size });
    const was = await begin(student);
    if (size !== LARGE) return { was, ...(await student.scene("hand")) };
    const before = await t.before(student, begin, (options) => t.module(options));
    const seen = await student.scene("hand");
    student.alone();
    return { was, ...seen, grown: Math.max(0, student.memory().peak - before) };
  });
const small = (t) => t.once("size", () => t.random.integer(1000, 5000));
const PARTS = {
  "bytes in the middle of an ArrayBuffer": "middle",
  "bytes at the start of an ArrayBuffer": "start",
  "a small Buffer from Node's pool": "pooled",
};
const mib = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;

export default {
  async arrives(t) {
    for (const [kind, size] of [
      ["whole", LARGE],
      ["whole", await small(t)],
    ]) {
      const { was, messages } = await handed(t, kind, size);
      const what = `${size} bytes that fill their ArrayBuffer were handed over`;
      t.ok(messages.length === 1, `${what}, but the worker got ${messages.length} messages`, {
        saw: messages.length,
        wanted: 1,
      });
      const [message] = messages;
      if (message.odd)
        t.miss(`${what}, but the message has no \`bytes\` that is a Uint8Array`, {
          saw: message.odd,
          wanted: ["bytes"],
        });
      t.equal(
        [message.length, message.digest],
        [was.length, was.digest],
        `${what}, but the worker got different bytes`,
      );
    }
  },

  async moved(t) {
    const { left, grown } = await handed(t, "whole", LARGE);
    t.note("Memory used for 64 MiB", mib(grown));
    t.plot("Memory taken", [[64, grown / MIB]], {
      x: "MiB handed over",
      y: "MiB more at the peak",
    });
    t.ok(
      left.length === 0,
      "64 MiB that fill their ArrayBuffer were handed over, but the sender still has them, so they were copied",
      {
        saw: `${left.length} bytes`,
        wanted: "0 bytes",
      },
    );
    t.ok(
      grown < LARGE / 2,
      `handing over 64 MiB took ${mib(grown)} of memory at the peak, as if the bytes had been copied`,
      { saw: mib(grown), wanted: "almost nothing" },
    );
    const again = await handed(t, "whole", await small(t));
    t.ok(
      again.left.length === 0,
      `${again.was.length} bytes that fill their ArrayBuffer were handed over, but the sender still has them`,
      { saw: `${again.left.length} bytes`, wanted: "0 bytes" },
    );
  },

  async parts(t) {
    for (const [what, kind] of Object.entries(PARTS)) {
      const { was, left, messages } = await handed(t, kind, await small(t));
      t.ok(
        left.around === was.around,
        `${what} were handed over, but their whole ArrayBuffer was moved, so the bytes around them are lost`,
        {
          saw: `${left.around} bytes around them`,
          wanted: `${was.around} bytes`,
        },
      );
      t.equal(
        [left.length, left.digest],
        [was.length, was.digest],
        `${what} were handed over, but the sender no longer has them`,
      );
      t.ok(
        messages.length === 1 && !messages[0].odd,
        `${what} were handed over, but the worker got ${messages.length} messages, or a message without \`bytes\``,
      );
      const [message] = messages;
      t.equal(
        [message.length, message.digest],
        [was.length, was.digest],
        `${what} were handed over, but the worker got different bytes`,
      );
      t.ok(
        message.buffer === was.length,
        `${what} were handed over, but through \`bytes.buffer\` the worker can also see the bytes around them`,
        {
          saw: `${message.buffer} bytes`,
          wanted: `${was.length} bytes`,
        },
      );
    }
  },

  async count(t) {
    for (const [what, { was, returned }] of [
      ["64 MiB", await handed(t, "whole", LARGE)],
      [`${await small(t)} bytes`, await handed(t, "whole", await small(t))],
    ]) {
      if (returned === 0)
        t.miss(
          `${what} were handed over, but 0 was returned, because the length was read after they were moved`,
          { saw: 0, wanted: was.length },
        );
      t.equal(
        returned,
        was.length,
        `${what} were handed over, but the function returned a different number`,
      );
    }
  },
};
