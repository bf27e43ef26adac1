// heap.mjs MIB… : in containers with so much memory, how large may the heap become?
import { text } from "node:stream/consumers";
import { print } from "../../streams/shared/asking.mjs";
import { contained } from "./_contained.mjs";

const SEEN = new URL("./_seen.mjs", import.meta.url);
for (const memoryMiB of process.argv.slice(2).map(Number)) {
  const { child, ended } = contained(SEEN, { memoryMiB });
  const [said] = await Promise.all([text(child.stdout), ended]);
  const { heapMiB, constrainedMiB } = JSON.parse(said);
  print({
    "container (MiB)": memoryMiB,
    "constrainedMemory (MiB)": constrainedMiB,
    "heap limit (MiB)": heapMiB,
  });
}
