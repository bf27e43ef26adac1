// writers.mjs MARK: a WritableStream with that mark gets 1,000 chunks of 64 KiB from who waits for `ready` before each, and its
// sink never finishes the tenth. How many does the stream hold then, if its mark has no size() and if it counts bytes?
import { print } from "../shared/asking.mjs";
import { eater, SIZE, source, still, TAKEN } from "./_ends.mjs";

const highWaterMark = Number(process.argv[2]);
const strategies = {
  "no size()": { highWaterMark },
  "size() in bytes": new ByteLengthQueuingStrategy({ highWaterMark }),
};
for (const [how, strategy] of Object.entries(strategies)) {
  const from = source();
  const writer = new WritableStream({ write: eater() }, strategy).getWriter();
  const copy = async () => {
    for (;;) {
      await writer.ready;
      const { value, done } = from.chunks.next();
      if (done) break;
      writer.write(value);
    }
  };
  copy();
  const held = (await still(from.made)) - (TAKEN - 1); // the others have been written
  print({ how, held, MiB: (held * SIZE) / 2 ** 20 });
}
process.exit(0);
