export function handOver(worker, bytes) {
  const { byteLength } = bytes;
  worker.postMessage({ bytes }, [bytes.buffer]);
  return byteLength;
}
