// Played in the process of the hand-in. The collector is taken away before the hand-in is loaded.
const { gc } = globalThis;
globalThis.gc = undefined; // it cannot be deleted
const { setImmediate } = own;
const { getHeapStatistics } = own.require("node:v8");
const { poolSize } = Buffer;
const { allocUnsafe, allocUnsafeSlow } = Buffer;

// What is in use once all that nobody uses is gone: V8's heap and the bytes of Buffers, which are freed a moment later.
async function inUse() {
  for (let round = 0; round < 3; round++) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { used_heap_size, external_memory } = getHeapStatistics();
  return { heap: used_heap_size, buffers: external_memory };
}

const held = () => {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
};
let atFirst; // before the hand-in was there
exports.prepare = () => {
  gc();
  atFirst = held();
};

exports.list = async function list(student, { count, chunks, reuse }) {
  const ids = student.recent(count);
  for (const chunk of chunks) {
    ids.add(chunk);
    if (reuse) chunk.fill(0);
  }
  return ids.list();
};

// `chunks` chunks of `size` bytes come and go; between two of them the program makes `between` bytes of small Buffers and lets them go.
exports.grow = async function grow(student, { count, chunks, size, pools = false, looks = 1 }) {
  const ids = student.recent(count);
  const chunk = () => allocUnsafeSlow(size).fill("x");
  ids.add(chunk());
  const before = await inUse();
  const grown = [];
  for (let look = 1; look <= looks; look++) {
    for (let at = 0; at < chunks / looks; at++) {
      ids.add(chunk());
      if (pools) for (let part = 0; part < 3; part++) allocUnsafe(poolSize / 2 - 64);
    }
    const { heap, buffers } = await inUse();
    grown.push({ heap: heap - before.heap, buffers: buffers - before.buffers });
  }
  // It must be alive until here, and have what it was given: who remembers nothing needs no memory.
  const list = ids.list();
  const kept = Array.isArray(list) ? list.filter((id) => id?.length === 16).length : 0;
  return { grown, kept, inAdvance: before.heap + before.buffers - atFirst };
};
