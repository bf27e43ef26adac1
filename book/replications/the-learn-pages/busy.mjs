// A stream that never finishes its first write: what do further writes of one byte return?
import { Writable } from "node:stream";

const stream = new Writable({ highWaterMark: 10, write() {} });
stream.write("a");
let yes = 0;
while (stream.write("b")) yes += 1;
console.log(
  JSON.stringify({ "high-water mark": 10, "writes that returned true while it was busy": yes }),
);
