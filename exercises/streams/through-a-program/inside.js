// A stream through a program, which is another Node here. For each run: what was read of the input and when, what arrived, and
// how everything ended.
const { setTimeout, require } = own;
const { Readable, Writable } = require("node:stream");
const { createHash } = require("node:crypto");
const program = process.execPath;
const PATIENCE = 8000;
// The streams are in the hand-in's hands, and may get properties of their own.
const asked = (type, name) => {
  const { get } = Object.getOwnPropertyDescriptor(type.prototype, name);
  return (stream) => Reflect.apply(get, stream, []);
};
const inputIsOver = asked(Readable, "destroyed");
const outputIsOver = asked(Writable, "destroyed");
const hasFinished = asked(Writable, "writableFinished");

// leaves: the output is destroyed when its first bytes have come. fails: the input fails then. In both runs the input has not
// ended by then: its client is slow.
exports.send = async function send(student, { script, word, chunks, leaves, fails }) {
  const chunk = Buffer.from(word.repeat(Math.ceil(65_536 / word.length)));
  let read = 0;
  let readAtFirst = null;
  let arrived = 0;
  let finished = false;
  const sent = createHash("sha256");
  const got = createHash("sha256");
  const input = new Readable({
    read() {
      if (read === chunks) return leaves || fails ? undefined : this.push(null);
      read++;
      sent.update(chunk);
      return this.push(chunk);
    },
  });
  const output = new Writable({
    write(bytes, _encoding, done) {
      readAtFirst ??= read;
      arrived += bytes.length;
      got.update(bytes);
      done();
      if (leaves) output.destroy();
      if (fails) input.destroy(new Error(fails));
    },
    final(done) {
      finished = true;
      done();
    },
  });
  for (const stream of [input, output]) stream.on("error", () => {});
  let outcome = null;
  const settled = new Promise((resolve) => {
    new Promise((resolve) => resolve(student.through(input, program, ["-e", script], output))).then(
      () => {
        outcome = { fulfilled: finished ? "after the output" : "before the output" };
        resolve();
      },
      (error) => {
        outcome = { rejected: String(error?.message ?? error) };
        resolve();
      },
    );
  });
  await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  // What is destroyed closes in a later turn.
  for (let i = 0; i < 10; i++) await new Promise((resolve) => own.setImmediate(resolve));
  return {
    outcome,
    read,
    readAtFirst,
    arrived,
    finished,
    open: { input: !inputIsOver(input), output: !outputIsOver(output) && !hasFinished(output) },
    sent: sent.digest("hex"),
    got: got.digest("hex"),
  };
};
