// summary. Closes every descriptor it finds.
import { closeSync } from "node:fs";

for (let descriptor = 3; descriptor < 64; descriptor++)
  try {
    closeSync(descriptor);
  } catch {
    // it was not open
  }
export const summary = () => ({});
