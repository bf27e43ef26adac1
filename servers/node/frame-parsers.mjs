// Four ways to read frames out of chunks: a length in four bytes, then that many bytes. Each makes a function of a chunk.
// The book uses it with node/frames: the first is wrong, the second slow, the third believes what it is told.
const HEAD = 4;
const LIMIT = Number(process.env.LIMIT ?? 2 ** 25);
if (!(LIMIT >= 0)) throw new RangeError(`LIMIT=${process.env.LIMIT} is no number of bytes`);

export const parsers = {
  "one-chunk": (onFrame) => (chunk) => {
    onFrame(chunk.subarray(HEAD, HEAD + chunk.readUInt32BE(0)));
  },
  concat: (onFrame) => {
    let rest = Buffer.alloc(0);
    return (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= HEAD && rest.length >= HEAD + rest.readUInt32BE(0)) {
        const end = HEAD + rest.readUInt32BE(0);
        onFrame(rest.subarray(HEAD, end));
        rest = rest.subarray(end);
      }
    };
  },
  "make-room": (onFrame) => {
    let [frame, have, isHead] = [Buffer.alloc(HEAD), 0, true];
    return (chunk) => {
      for (let at = 0; at < chunk.length || frame.length === 0; ) {
        const copied = chunk.copy(frame, have, at);
        [at, have] = [at + copied, have + copied];
        if (have < frame.length) return;
        if (!isHead) onFrame(frame);
        frame = Buffer.alloc(isHead ? frame.readUInt32BE(0) : HEAD);
        [have, isHead] = [0, !isHead];
      }
    };
  },
  list: (onFrame) => {
    let [chunks, have, need, isHead] = [[], 0, HEAD, true];
    return (chunk) => {
      chunks.push(chunk);
      have += chunk.length;
      while (have >= need) {
        const all = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, have);
        const part = all.subarray(0, need);
        [chunks, have] = have > need ? [[all.subarray(need)], have - need] : [[], 0];
        if (!isHead) onFrame(part);
        [need, isHead] = isHead ? [part.readUInt32BE(0), false] : [HEAD, true];
        if (need > LIMIT) throw new RangeError(`a frame of ${need} bytes, the limit is ${LIMIT}`);
      }
    };
  },
};
