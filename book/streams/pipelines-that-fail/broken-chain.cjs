// A source, a step that breaks at its second chunk, and a sink, joined with pipe. Who hears of it, and who waits?
const { Readable, Transform, Writable } = require("node:stream");

let [asked, passed] = [0, 0];
const source = new Readable({
  highWaterMark: 1, // it does not read ahead: one chunk at a time
  read() {
    asked += 1;
    setImmediate(() => this.push(`chunk ${asked}`));
  },
});
const step = new Transform({
  transform(chunk, _encoding, done) {
    passed += 1;
    console.log(`the step gets ${chunk}`);
    done(passed === 2 ? new Error("broken") : null, chunk);
  },
});
const sink = new Writable({
  write(chunk, _encoding, done) {
    console.log(`the sink gets ${chunk}`);
    done();
  },
});

step.on("error", (error) => console.log(`the step: ${error.message}`));
step.on("close", () => console.log("the step is closed"));
step.on("unpipe", () => console.log("the source is taken off the step"));
source.pipe(step).pipe(sink);

const state = (stream) => (stream.destroyed ? "destroyed" : "still open");
setTimeout(() => console.log(`source ${state(source)}, sink ${state(sink)}`), 30);
