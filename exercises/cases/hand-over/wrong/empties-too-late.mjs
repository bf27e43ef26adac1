export function handOver(worker, bytes) {
  const { byteLength } = bytes;
  const copy = new Uint8Array(bytes);
  worker.postMessage({ bytes: copy }, [copy.buffer]);
  if (byteLength === bytes.buffer.byteLength)
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return byteLength;
}
