export function handOver(worker, bytes) {
  const { byteLength } = bytes; // 0 once they are moved
  const whole = byteLength === bytes.buffer.byteLength;
  // A Buffer's own slice() would be another view of the same memory.
  const own = whole ? bytes : Uint8Array.prototype.slice.call(bytes);
  worker.postMessage({ bytes: own }, [own.buffer]);
  return byteLength;
}
