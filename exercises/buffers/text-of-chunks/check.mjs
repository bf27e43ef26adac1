const MARK = "\ufeff";
const MARK_BYTES = Buffer.byteLength(MARK);
const OTHERS = ["a", "Z", "7", " ", "ñ", "ж", "ß", "€", "中", "ह", "～", "😀", "𝛑", "🧭"];
const SIZES = [["é"], ["€"], ["😀"], ["x"]];

const asked = (t) =>
  t.once("module", async () => {
    const student = await t.module();
    student.needs("decoder");
    return student;
  });

// A text with characters of one to four bytes in it, in an order of its own.
const text = (t) =>
  t.random
    .shuffle([
      ...SIZES.flat(),
      ...SIZES.flat(),
      ...Array.from({ length: 12 }, () => t.random.pick(OTHERS)),
    ])
    .join("");

const strings = (t, { came, end }) => {
  for (const [name, value] of [...came.map((each) => ["write()", each]), ["end()", end]])
    t.ok(typeof value === "string", `${name} returned something that is not a string`, {
      saw: value,
    });
};
const whole = ({ came, end }) => came.join("") + end;
const bytewise = (bytes) => Array.from(bytes, (byte) => Buffer.of(byte));
const hex = (bytes) => bytes.toString("hex").replace(/..(?=.)/g, "$& ");
const how = (bytes, way) =>
  way > bytes.length
    ? "byte by byte"
    : `in two, after byte ${way} (… ${hex(bytes.subarray(Math.max(0, way - 2), way)) || "nothing"} | ${hex(bytes.subarray(way, way + 2))} …)`;

export default {
  async text(t) {
    const student = await asked(t);
    for (let round = 0; round < 3; round++) {
      const wanted = text(t);
      const bytes = Buffer.from(wanted);
      const ways = await student.scene("cuts", { bytes });
      ways.forEach((way, at) => {
        strings(t, way);
        const saw = whole(way);
        if (saw === wanted) return;
        const broken = saw.includes("\ufffd")
          ? "each chunk seems to be decoded alone, because "
          : "";
        t.miss(`${broken}a text that was split ${how(bytes, at)} was changed`, {
          saw,
          wanted,
        });
      });
    }
    const both = [text(t), text(t)];
    const texts = both.map((each) => bytewise(Buffer.from(each)));
    const saw = (await student.scene("decode", { texts })).map(whole);
    t.equal(saw, both, "two decoders were used at the same time and mixed up their texts");
  },

  async soon(t) {
    const student = await asked(t);
    const wanted = text(t);
    const bytes = Buffer.from(wanted);
    const [{ came }] = await student.scene("decode", { texts: [bytewise(bytes)] });
    t.ok(
      came.join("") !== "",
      "nothing was returned before end(), so a text without an end would never be delivered",
    );
    let so = "";
    let at = 0;
    for (const character of wanted) {
      for (const _ of Buffer.from(character)) so += came[at++];
      const there = bytes.toString("utf8", 0, at);
      t.equal(
        so,
        there,
        `all bytes of “${character}” had arrived, byte by byte, but write() had not returned the character`,
      );
    }
  },

  async tail(t) {
    const student = await asked(t);
    for (const last of ["é", "€", "😀"]) {
      const size = Buffer.byteLength(last);
      for (let kept = 1; kept < size; kept++) {
        const wanted = text(t);
        const bytes = Buffer.concat([Buffer.from(wanted), Buffer.from(last).subarray(0, kept)]);
        const [way] = await student.scene("decode", { texts: [bytewise(bytes)] });
        strings(t, way);
        const saw = whole(way).slice(wanted.length);
        const seen = { saw: `end() returned ${JSON.stringify(way.end)}`, wanted: "\ufffd" };
        const where = `the bytes ended after ${kept} of the ${size} bytes of a character`;
        t.ok(saw !== "", `${where}, and these bytes were lost without a trace`, seen);
        t.ok(/^\ufffd+$/.test(saw), `${where}, but the text does not end in a U+FFFD`, seen);
      }
    }
  },

  async mark(t) {
    const student = await asked(t);
    for (const wanted of [text(t), text(t) + MARK + text(t), MARK + text(t), ""]) {
      const bytes = Buffer.from(MARK + wanted);
      const ways = await student.scene("cuts", { bytes });
      // TextDecoder of Node 24 and 26 drops both of two marks in a row if the first is cut: not for you to repair.
      const inOne = wanted.startsWith(MARK);
      ways.forEach((way, at) => {
        const saw = whole(way);
        if (saw === wanted || (inOne && at > 0 && at < MARK_BYTES)) return;
        const seen = { saw: JSON.stringify(saw), wanted: JSON.stringify(wanted) };
        if (saw === MARK + wanted)
          t.miss(
            `when the bytes were split ${how(bytes, at)}, the text began with U+FEFF, but this byte order mark is not part of the text`,
            seen,
          );
        if (saw === wanted.replaceAll(MARK, ""))
          t.miss(
            "U+FEFF after the beginning was left out, but there it is a character like any other",
            seen,
          );
        t.miss(
          `a text after a byte order mark was changed when its bytes were split ${how(bytes, at)}`,
          seen,
        );
      });
    }
    const later = text(t) + MARK + text(t);
    for (const way of await student.scene("cuts", { bytes: Buffer.from(later) }))
      t.equal(
        whole(way),
        later,
        "U+FEFF after the beginning was left out, but there it is a character like any other",
      );
  },

  async own(t) {
    const student = await asked(t);
    const wanted = text(t);
    for (const size of [1, 2, 3, 5, 7]) {
      const bytes = Buffer.from(wanted);
      const chunks = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const [way] = await student.scene("decode", { texts: [chunks], reuse: true });
      t.equal(
        whole(way),
        wanted,
        `the memory of each chunk (${size} bytes) was reused after write(), and the bytes that you had kept changed with it`,
      );
    }
  },
};
