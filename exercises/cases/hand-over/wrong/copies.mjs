export function handOver(worker, bytes) {
  worker.postMessage({ bytes });
  return bytes.byteLength;
}
