const fs = require("node:fs"),
  { Transform, pipeline } = require("node:stream");
pipeline(
  fs.createReadStream(process.execPath, { end: 300000 }),
  new Transform({
    transform(c, _e, cb) {
      setImmediate(() => cb(null, c));
    },
  }),
  fs.createWriteStream("/dev/null"),
  () => console.log("done"),
);
