const HEAD = 4;

export function frames(onFrame, limit) {
  return function parse(chunk) {
    const length = chunk.readUInt32BE(0);
    if (length > limit) throw new RangeError(`a frame of ${length} bytes, the limit is ${limit}`);
    onFrame(chunk.subarray(HEAD, HEAD + length));
  };
}
