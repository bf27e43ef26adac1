import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

const upper = () =>
  new Transform({ transform: (chunk, _, done) => done(null, String(chunk).toUpperCase()) });
await pipeline(Readable.from(["a\n", "b\n"]), upper(), process.stdout);
console.log("after", process.stdout.writableEnded, process.stdout.destroyed);
Readable.from(["piped\n"]).pipe(process.stdout);
process.stdout.write("written\n", () => console.log("called"));
setImmediate(() => console.log("check"));
