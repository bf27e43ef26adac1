// Three frames, each a length in four bytes and that many bytes, come in pieces. Which piece completes which frame?
const { Readable } = require("node:stream");
const PIECE = 6;

const frame = (text) => {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(text.length);
  return Buffer.concat([head, Buffer.from(text)]);
};
const bytes = Buffer.concat(["ping", "", "a longer one"].map(frame));

function* pieces() {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

let rest = Buffer.alloc(0);
let count = 0;
Readable.from(pieces()).on("data", (piece) => {
  count += 1;
  rest = Buffer.concat([rest, piece]);
  console.log(`piece ${count}: ${rest.length} bytes are kept`);
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
    const end = 4 + rest.readUInt32BE(0);
    console.log(`piece ${count} completes "${rest.subarray(4, end)}"`);
    rest = rest.subarray(end);
  }
});
