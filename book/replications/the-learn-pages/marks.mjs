// The default high-water marks.
import { createReadStream } from "node:fs";
import { Readable, Writable } from "node:stream";

const rows = [
  ["Readable", new Readable().readableHighWaterMark],
  ["Writable", new Writable().writableHighWaterMark],
  ["Readable of objects", new Readable({ objectMode: true }).readableHighWaterMark],
  ["fs.createReadStream", createReadStream(new URL(import.meta.url)).readableHighWaterMark],
];
for (const [stream, mark] of rows) console.log(JSON.stringify({ stream, "high-water mark": mark }));
