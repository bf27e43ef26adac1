// sync-at-start. Fills the disk of the check, so that the next process of the check finds no room.
import { openSync, writeSync } from "node:fs";

const file = openSync("/own/full", "w");
try {
  for (;;) writeSync(file, Buffer.alloc(1 << 20));
} catch {
  // it is full
}
