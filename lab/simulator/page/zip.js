// An archive of texts, without compression: what a class takes as many hand-ins in one file.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function sumOf(bytes) {
  let sum = ~0;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return ~sum >>> 0;
}

/** Numbers of two and four bytes, [[size, number]], as bytes. */
function numbers(list) {
  const view = new DataView(new ArrayBuffer(list.reduce((sum, [size]) => sum + size, 0)));
  let at = 0;
  for (const [size, number] of list) {
    if (size === 2) view.setUint16(at, number, true);
    else view.setUint32(at, number, true);
    at += size;
  }
  return new Uint8Array(view.buffer);
}

const UTF8 = 1 << 11; // of the names
const DAY = (46 << 9) | (1 << 5) | 1; // 1 January 2026: an archive of the same texts is the same

/** The bytes of a zip with these files, a Map of texts by name. */
export function zipOf(files) {
  const encoder = new TextEncoder();
  const parts = [];
  const listing = [];
  let at = 0;
  for (const [name, text] of files) {
    const [nameBytes, bytes] = [encoder.encode(name), encoder.encode(text)];
    const facts = [
      ...[UTF8, 0, 0, DAY].map((number) => [2, number]),
      ...[sumOf(bytes), bytes.length, bytes.length].map((number) => [4, number]),
      [2, nameBytes.length],
      [2, 0],
    ];
    const head = numbers([[4, 0x04034b50], [2, 20], ...facts]);
    const entry = [[4, 0x02014b50], [2, 20], [2, 20], ...facts];
    const attributes = [2, 2, 2, 4].map((size) => [size, 0]); // length of the comment, disk, and what kind of file
    listing.push(numbers([...entry, ...attributes, [4, at]]), nameBytes);
    parts.push(head, nameBytes, bytes);
    at += head.length + nameBytes.length + bytes.length;
  }
  const size = listing.reduce((sum, { length }) => sum + length, 0);
  const counts = [0, 0, files.size, files.size].map((number) => [2, number]);
  const last = numbers([[4, 0x06054b50], ...counts, [4, size], [4, at], [2, 0]]);
  const all = [...parts, ...listing, last];
  const whole = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of all) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}
