// The same text, cut into chunks of 1 byte to 64 KiB, through each splitter. How many records are right, how fast?
import { performance } from "node:perf_hooks";
import { print } from "../shared/asking.mjs";
import { carried, csv, decoded, perChunk } from "../shared/line-splitters.mjs";
import { MIB, scale } from "../shared/watching.mjs";

const splitters = { perChunk, carried, decoded, csv };
const names = ["Ada", "Zoë", "Łukasz", "José", "陳大文", "😀"];
const records = Array.from({ length: 6000 * scale }, (_, i) => {
  const name = names[i % names.length];
  return {
    json: JSON.stringify({ i, name, note: "x".repeat(i % 90) }),
    csv: `${i},"${name}\nnote ${i}"`,
  };
});

const pieces = function* (bytes, size) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};

const formats = {
  ndjson: { text: records.map((r) => r.json), by: ["perChunk", "carried", "decoded"] },
  csv: { text: records.map((r) => r.csv), by: ["decoded", "csv"] },
};
for (const [format, { text, by }] of Object.entries(formats)) {
  const bytes = Buffer.from(`${text.join("\n")}\n`);
  for (const splitter of by)
    for (const chunk of [1, 16, 256, 4096, 65536]) {
      const expected = new Set(text);
      let [right, found] = [0, 0];
      const began = performance.now();
      for await (const record of splitters[splitter](pieces(bytes, chunk))) {
        found += 1;
        right += expected.delete(record);
      }
      const s = (performance.now() - began) / 1000;
      const share = right / text.length;
      print({
        format,
        splitter,
        chunk,
        share,
        found,
        of: text.length,
        mib_s: bytes.length / MIB / s,
      });
    }
}
