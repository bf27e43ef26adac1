// Three chunks of 3, 2 and 1 bytes wait in a stream. In what pieces does each way of reading get them?
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

function filled(options) {
  const source = new Readable({ read() {}, ...options });
  for (const chunk of ["aaa", "bb", "c"]) source.push(chunk);
  source.push(null);
  return source;
}

const onReadable = (take) => async (source) => {
  const pieces = [];
  source.on("readable", () => take(source, pieces));
  await sleep(50);
  return pieces;
};

const ways = {
  "on('data')": async (source) => {
    const pieces = [];
    source.on("data", (piece) => pieces.push(piece));
    await sleep(50);
    return pieces;
  },
  "for await": async (source) => {
    const pieces = [];
    for await (const piece of source) pieces.push(piece);
    return pieces;
  },
  "read() until null": onReadable((source, pieces) => {
    for (let piece = source.read(); piece !== null; piece = source.read()) pieces.push(piece);
  }),
  "one read() a 'readable'": onReadable((source, pieces) => {
    const piece = source.read();
    if (piece !== null) pieces.push(piece);
  }),
};

for (const [way, pieces] of Object.entries(ways))
  for (const encoding of [undefined, "utf8"]) {
    const source = filled({ encoding });
    const sizes = (await pieces(source)).map((piece) => piece.length);
    const left = source.readableLength;
    const what = encoding ? "text" : "bytes";
    console.log(JSON.stringify({ what, way, pieces: sizes.join(", "), left }));
  }
