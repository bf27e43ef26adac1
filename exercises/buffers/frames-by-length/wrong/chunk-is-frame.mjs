export function frames(onFrame, limit) {
  return function parse(chunk) {
    if (chunk.length < 4) return;
    const length = chunk.readUInt32BE(0);
    if (length > limit) throw new RangeError(`a frame of ${length} bytes, the limit is ${limit}`);
    onFrame(chunk.subarray(4, 4 + length));
  };
}
