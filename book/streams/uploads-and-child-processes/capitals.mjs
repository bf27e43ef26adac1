// capitals.mjs WAY: passes its input on in capitals. At its end it says on its error output by how much its memory grew, and how
// much waited to be written at most.
import { writeSync } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { MIB } from "../shared/watching.mjs";

const { stdin, stdout } = process;
const raised = (chunk) => {
  for (let i = 0; i < chunk.length; i += 1) if (chunk[i] > 96 && chunk[i] < 123) chunk[i] -= 32;
  return chunk;
};

// ways from the input to the output
const capitals = new Transform({
  transform: (chunk, _encoding, done) => done(null, raised(chunk)),
});
const ways = {
  "pipeline()": () => pipeline(stdin, capitals, stdout),
  "write(), whatever it says": () => stdin.on("data", (chunk) => stdout.write(raised(chunk))),
};
// end of the ways

const [way] = process.argv.slice(2);
const before = process.memoryUsage.rss();
let [most, queued] = [before, 0];
const look = () => {
  most = Math.max(most, process.memoryUsage.rss());
  queued = Math.max(queued, stdout.writableLength);
};
setInterval(look, 5).unref();
process.on("exit", () => {
  look();
  writeSync(2, JSON.stringify({ growth: (most - before) / MIB, queued: queued / MIB }));
});
await ways[way]();
