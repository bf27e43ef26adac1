// A source of 1,000 chunks of 64 KiB, and a consumer that takes ten and no more. How many chunks are made, by the way that
// joins the two?
import { on } from "node:events";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { print } from "../shared/asking.mjs";
import { eater, source, still } from "./_ends.mjs";

const each = async (chunks, eat) => {
  for await (const chunk of chunks) await eat(chunk);
};
const webSink = (eat) => new WritableStream({ write: eat });
const nodeSink = (eat) =>
  new Writable({ write: (chunk, _encoding, done) => eat(chunk).then(() => done()) });

const ways = {
  "for await, of a Readable": ({ node }, eat) => each(node(), eat),
  "pipeTo a WritableStream": ({ web }, eat) => web().pipeTo(webSink(eat)),
  "for await, of Readable.fromWeb()": ({ web }, eat) => each(Readable.fromWeb(web()), eat),
  "Readable.toWeb(), and pipeTo": ({ node }, eat) => Readable.toWeb(node()).pipeTo(webSink(eat)),
  "pipeTo Writable.toWeb()": ({ web }, eat) => web().pipeTo(Writable.toWeb(nodeSink(eat))),
  "pipeline to that Writable": ({ web }, eat) => pipeline(web(), nodeSink(eat)),
  "pipeThrough a CompressionStream": ({ web }, eat) =>
    each(web().pipeThrough(new CompressionStream("gzip")), eat),
  "for await, of what start() enqueued": ({ chunks }, eat) => {
    const start = (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
    };
    return each(new ReadableStream({ start }), eat);
  },
  "one branch of tee(), the other is read": ({ web }, eat) => {
    const [fast, slow] = web().tee();
    each(fast, async () => {});
    return slow.pipeTo(webSink(eat));
  },
  "for await, of on(readable, 'data')": ({ node }, eat) => each(on(node(), "data"), eat),
  "the same, highWaterMark: 16": ({ node }, eat) =>
    each(on(node(), "data", { highWaterMark: 16 }), eat),
}; // end of the ways

const begun = Object.entries(ways).map(([way, join]) => {
  const from = source();
  join(from, eater()).catch(() => {}); // none of them ends
  return { way, made: from.made };
});
await still(() => begun.reduce((sum, { made }) => sum + made(), 0));
for (const { way, made } of begun) print({ way, made: made() });
process.exit(0);
