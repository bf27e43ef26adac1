// What a TextDecoder makes of all bytes, at once and in pieces, in each encoding that has one byte for a letter, and of UTF-8 and UTF-16.
const NAMES =
  "ibm866 iso-8859-2 iso-8859-3 iso-8859-6 iso-8859-8-i iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1251 windows-1253 windows-1255 windows-1258 x-mac-cyrillic x-user-defined replacement latin1 ascii";
const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const inPieces = (decoder, bytes, size) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += size)
    text += decoder.decode(bytes.subarray(at, at + size), { stream: true });
  return text + decoder.decode();
};
const show = (words, body) => {
  try {
    console.log(words, JSON.stringify(body()));
  } catch ({ name, code, message }) {
    console.log(words, name, code, message);
  }
};
for (const name of NAMES.split(" ")) {
  show(name, () => inPieces(new TextDecoder(name), all, 100).slice(128));
  show(name, () => new TextDecoder(name, { fatal: true }).decode(all).length);
}
show("control", () => [..."ibm866"].map((_, at) => new TextDecoder("ibm866").decode(all)[at + 26]));
show("no such", () => new TextDecoder("latin-one"));
show("no bytes", () => new TextDecoder("latin1").decode("text"));
const PARTS = [
  [0xef, 0xbb, 0xbf, 0x41],
  [0xff, 0xfe, 0x41, 0x00],
  [0xfe, 0xff, 0x00, 0x41],
  [0x3d, 0xd8, 0x00, 0xde],
  [0x00, 0xd8, 0x41, 0x00, 0x42],
  [0x41, 0x00, 0x00, 0xd8],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xe2, 0x82, 0x41],
  [0x41, 0xe2, 0x82],
  [0x41, 0xff],
];
for (const encoding of ["utf-8", "utf-16le", "utf-16be"])
  for (const bytes of PARTS.map((part) => Uint8Array.from(part))) {
    show(encoding, () => new TextDecoder(encoding).decode(bytes));
    for (const size of [1, 3])
      show(encoding, () => inPieces(new TextDecoder(encoding), bytes, size));
    show(encoding, () => new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes));
  }
const room = new Uint8Array(4);
for (const text of ["a€é", "€€", "😀x", "x😀"])
  show(text, () => [new TextEncoder().encodeInto(text, room), [...room]]);
show("is UTF-8", () => require("node:buffer").isUtf8(Buffer.from("\ufffd")));
