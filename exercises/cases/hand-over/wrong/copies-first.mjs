export function handOver(worker, bytes) {
  const copy = new Uint8Array(bytes);
  worker.postMessage({ bytes: copy }, [copy.buffer]);
  return bytes.byteLength;
}
