const SIZE = 256 * 1024;
const TIMES = 15;

// What the server sends next is put here; it comes as bytes, so that the text is made there and anew.
const served = (t) =>
  t.once("server", async () => {
    const student = await t.module();
    student.needs("send");
    const server = { student, next: Buffer.alloc(0) };
    server.port = await student.scene("listen", { next: t.callback(async () => server.next) });
    return server;
  });

const ALPHABETS = {
  "plain English letters": "abcdefghijklmnopqrstuvwxyz ABC.,\n",
  "letters with accents": "abcdefg äöüéèñçß\n",
  "Cyrillic letters": "абвгдежзийклмнопрстуфхцчшщ \n",
  "euro signs and emoji": "€ £ 🚀 👩‍🚀 日本語 ok\n",
};
function text(t, alphabet, bytes) {
  const letters = [...new Intl.Segmenter().segment(ALPHABETS[alphabet])].map((one) => one.segment);
  const line = Array.from({ length: 200 }, () => t.random.pick(letters)).join("");
  const lines = Math.ceil(bytes / Buffer.byteLength(line));
  return Buffer.from(
    Array.from({ length: lines }, (_, i) => `${i} ${t.random.pick(letters)}${line}`).join(""),
  );
}

async function ask(t, bytes) {
  const server = await served(t);
  server.next = bytes;
  return t.get(server, "/", { seconds: 3 });
}

export default {
  async whole(t) {
    for (const alphabet of Object.keys(ALPHABETS)) {
      const bytes = text(t, alphabet, SIZE);
      const answer = await ask(t, bytes);
      const characters = bytes.toString().length;
      const stated = Number(answer.headers?.["content-length"]);
      const what = `a text with ${alphabet}`;
      if (stated === characters && characters !== bytes.length)
        t.miss(
          answer.body?.equals(Buffer.from(bytes.toString(), "latin1"))
            ? `${what} was sent as latin1, which has only 256 characters and encodes many of them differently from UTF-8`
            : `the content-length of ${what} counts its characters, so the client stops reading too early`,
          { saw: stated, wanted: `${bytes.length} bytes` },
        );
      if (answer.error?.startsWith("HPE_"))
        t.miss(
          `more bytes of ${what} arrived than its content-length announced, as if the content-length counted characters`,
          { saw: answer.error, wanted: `${bytes.length} bytes` },
        );
      t.ok(!answer.error, `a request for ${what} got no response`, { saw: answer.error });
      t.equal(answer.status, 200, `the response to a request for ${what} has the wrong status`);
      t.equal(
        answer.headers["content-type"]?.toLowerCase().replaceAll(" ", ""),
        "text/plain;charset=utf-8",
        "the content-type of the response is wrong",
      );
      t.ok(
        answer.headers["content-length"] !== undefined,
        `${what} arrived without a content-length, so a client cannot tell how much is missing`,
      );
      t.ok(
        answer.body.equals(bytes),
        `${what}, which is ${bytes.length} bytes in UTF-8, arrived with the wrong bytes`,
        { saw: `${answer.body.length} bytes: ${answer.body.subarray(0, 40)} …` },
      );
    }
  },

  async fresh(t) {
    const first = text(t, "plain English letters", SIZE);
    // Of the same length, and the same at both ends.
    for (let i = 0; i < 4; i++) {
      const bytes = Buffer.from(first);
      const token = t.token();
      bytes.write(token, t.random.integer(1000, SIZE - 1000));
      const { body } = await ask(t, bytes);
      t.ok(
        body?.includes(token),
        "a response did not have its own text, but the text of an earlier response of the same length",
      );
    }
  },

  async apart(t) {
    const { student } = await served(t);
    for (const alphabet of ["plain English letters", "Cyrillic letters"]) {
      await student.scene("growth");
      for (let i = 0; i < TIMES; i++) await ask(t, text(t, alphabet, SIZE));
      const seen = await student.scene("growth");
      // A collection in between takes away; most responses have none. Some may come from what V8 does once.
      const sorted = seen.toSorted((a, b) => a - b);
      const typical = sorted[Math.floor(sorted.length / 2)];
      t.note(`strings made for ${alphabet}, bytes`, typical);
      t.ok(
        typical < SIZE / 4,
        `sending a text with ${alphabet} made another string of that size, so the text was joined with something, such as its headers`,
        {
          saw: `${(typical / 1024).toFixed(0)} KiB of new long strings for a text of 256 KiB`,
          wanted: "none",
        },
      );
    }
  },
};
