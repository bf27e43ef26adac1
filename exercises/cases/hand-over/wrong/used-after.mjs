export function handOver(worker, bytes) {
  const whole = bytes.byteLength === bytes.buffer.byteLength;
  const own = whole ? bytes : Uint8Array.prototype.slice.call(bytes);
  worker.postMessage({ bytes: own }, [own.buffer]);
  return own.byteLength;
}
