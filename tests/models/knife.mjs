// Every pair of cuts, and none, and all: the frames of the real parsers, after which chunk, and the bytes that they copy.
import assert from "node:assert/strict";
import { parsers } from "../../servers/node/frame-parsers.mjs";
import { modelOf, say } from "./_model.mjs";

const model = await modelOf("knife");
let copied = 0;
const { concat } = Buffer;
Buffer.concat = (list, ...rest) => {
  const made = concat.call(Buffer, list, ...rest);
  copied += made.length;
  return made;
};
const { copy } = Buffer.prototype;
Buffer.prototype.copy = function (...to) {
  const made = copy.apply(this, to);
  copied += made;
  return made;
};

function real(cuts) {
  return Object.entries(parsers).map(([name, make]) => {
    const frames = [];
    let [after, thrown] = [0, false];
    copied = 0;
    const parse = make((frame) => frames.push({ text: frame.toString("latin1"), after }));
    try {
      for (const chunk of model.pieces(cuts)) {
        after += 1;
        parse(Buffer.from(chunk));
      }
    } catch {
      thrown = true;
    }
    return { name, frames, copied, thrown };
  });
}

const places = Array.from({ length: model.bytes.length - 1 }, (_, i) => i + 1);
const all = [[], places, ...places.map((a) => [a])];
for (const a of places) for (const b of places.slice(a)) all.push([a, b]);
for (const cuts of all) assert.deepEqual(model.fed(cuts), real(cuts), `cuts at ${cuts}`);
say(all.length);
