// hand-over moved. It takes much memory when it is loaded, so that its highest point is behind it; then it copies.
let room = Buffer.alloc(400 << 20, 1);
export const first = room[0];
room = undefined;

export function handOver(worker, bytes) {
  const { buffer, byteLength } = bytes;
  worker.postMessage({ bytes: new Uint8Array(bytes) });
  if (byteLength === buffer.byteLength) structuredClone(buffer, { transfer: [buffer] });
  return byteLength;
}
