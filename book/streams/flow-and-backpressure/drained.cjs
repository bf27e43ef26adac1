// A writer that waits for drain, and a sink that takes 10 ms for each chunk. Each chunk has 4 bytes.
const { Writable } = require("node:stream");

const sink = new Writable({
  highWaterMark: 10,
  write(_chunk, _encoding, done) {
    console.log("the sink begins with a chunk");
    setTimeout(done, 10);
  },
});

let written = 0;
function write() {
  while (written < 6) {
    written += 1;
    const mayGoOn = sink.write("four");
    console.log(`write ${written} says ${mayGoOn}: ${sink.writableLength} bytes are kept`);
    if (!mayGoOn) return sink.once("drain", write);
  }
  sink.end();
}

sink.on("drain", () => console.log("drain"));
sink.on("finish", () => console.log("finish"));
write();
