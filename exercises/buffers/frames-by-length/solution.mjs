const HEAD = 4;

export function frames(onFrame, limit) {
  let chunks = [];
  let have = 0;
  let need = HEAD;
  let isHead = true;

  return function parse(chunk) {
    chunks.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const all = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, have);
      const part = all.subarray(0, need);
      chunks = [all.subarray(need)];
      have -= need;
      if (isHead) {
        need = part.readUInt32BE(0);
        if (need > limit) throw new RangeError(`a frame of ${need} bytes, the limit is ${limit}`);
      } else {
        need = HEAD;
        onFrame(part);
      }
      isHead = !isHead;
    }
  };
}
