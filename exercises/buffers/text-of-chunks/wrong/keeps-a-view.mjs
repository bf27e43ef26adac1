// How many bytes at the end of `bytes` are the beginning of a character that is not complete.
function open(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return length > back ? back : 0;
  }
  return 0;
}

export function decoder() {
  let rest = Buffer.alloc(0);
  let first = true;
  return {
    write(chunk) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const end = bytes.length - open(bytes);
      rest = bytes.subarray(end);
      const text = bytes.toString("utf8", 0, end);
      if (!first || text === "") return text;
      first = false;
      return text.startsWith("\ufeff") ? text.slice(1) : text;
    },
    end: () => rest.toString(),
  };
}
