// full.mjs: a program that keeps more and more. What ends it, and what does it say?
import { text } from "node:stream/consumers";
import { print } from "../../streams/shared/asking.mjs";
import { contained } from "./_contained.mjs";

const FILLS = new URL("./_fills.mjs", import.meta.url);
const CASES = [
  { memoryMiB: 512, keeps: "objects" },
  { memoryMiB: 128, keeps: "objects" },
  { memoryMiB: 128, keeps: "objects", heapMiB: 64 },
  { memoryMiB: 128, keeps: "buffers", heapMiB: 64 },
];
for (const { memoryMiB, keeps, heapMiB } of CASES) {
  const flags = heapMiB ? [`--max-old-space-size=${heapMiB}`] : [];
  const { child, ended } = contained(FILLS, { memoryMiB, flags, words: [keeps] });
  const [out, { code, said, oom_kills }] = await Promise.all([text(child.stdout), ended]);
  const last = out.trimEnd().split("\n").at(-1).split(" ");
  const [heap, external] = last.map((bytes) => Math.round(Number(bytes) / 2 ** 20));
  print({
    "container (MiB)": memoryMiB,
    "--max-old-space-size": heapMiB ?? "not set",
    keeps,
    "heap at last (MiB)": heap,
    "outside (MiB)": external,
    "exit code": code,
    "kills counted": oom_kills,
    "Node's own message": /heap out of memory/.test(said) ? "yes" : "no",
  });
}
