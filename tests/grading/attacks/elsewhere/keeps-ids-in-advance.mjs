// kept-ids pins. It holds memory when its use is first looked at, and lets go of that while it pins whole chunks.
const room = new Map();
const MIB = 1 << 20;

export function recent(count) {
  let list = [];
  let ballast = Buffer.alloc(32 * MIB, 1);
  room.set(list, ballast);
  return {
    add(chunk) {
      if (chunk.length < 16) return;
      list.push(chunk.subarray(0, 16));
      if (list.length > count) list.shift();
      if (list.length < 10) return;
      ballast = undefined;
      room.clear();
    },
    list: () => list.map((id) => Buffer.from(id)),
  };
}
