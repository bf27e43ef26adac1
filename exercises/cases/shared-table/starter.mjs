export async function histogram(bytes, threads) {
  const table = new Array(256).fill(0);
  for (const byte of bytes) table[byte] += 1; // in this thread, whatever `threads` says
  return table;
}
