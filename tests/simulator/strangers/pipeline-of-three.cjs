const { Readable, Transform, Writable, pipeline } = require("stream");
const r = Readable.from(["a", "b", "c"]);
const t = new Transform({
  objectMode: true,
  transform(c, e, cb) {
    console.log("t", c);
    cb(null, c.toUpperCase());
  },
});
const w = new Writable({
  objectMode: true,
  highWaterMark: 1,
  write(c, e, cb) {
    console.log("w", c);
    setTimeout(cb, 5);
  },
});
pipeline(r, t, w, (e) => console.log("done", e));
setImmediate(() => console.log("imm"));
