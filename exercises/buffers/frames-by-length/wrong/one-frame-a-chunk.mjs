export function frames(onFrame, limit) {
  let rest = Buffer.alloc(0);
  return function parse(chunk) {
    rest = Buffer.concat([rest, chunk]);
    if (rest.length >= 4) {
      const length = rest.readUInt32BE(0);
      if (length > limit) throw new RangeError(`a frame of ${length} bytes, the limit is ${limit}`);
      if (rest.length < 4 + length) return;
      onFrame(rest.subarray(4, 4 + length));
      rest = rest.subarray(4 + length);
    }
  };
}
