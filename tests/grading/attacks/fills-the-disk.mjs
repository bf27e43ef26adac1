// summary. Writes until the disk is full, in every folder that lets it, and looks for one that never is.
import { openSync, writeSync } from "node:fs";

const MOST = 320 << 20; // more than any folder of a hand-in has room for
const block = Buffer.alloc(8 << 20, 1);
for (const folder of ["", "/dev", "/dev/shm", "/hand", "/proc", "/tmp", "/own"]) {
  let bytes = 0;
  try {
    const file = openSync(`${folder}/big`, "w");
    while (bytes < MOST) bytes += writeSync(file, block);
  } catch {
    // full, or not allowed
  }
  if (bytes >= MOST) throw new Error(`LEAK: no end of room in ${folder}/`);
}
export const summary = () => ({});
