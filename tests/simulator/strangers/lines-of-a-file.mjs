import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createInterface as promised } from "node:readline/promises";
import { Readable } from "node:stream";

const input = createReadStream(import.meta.filename);
let count = 0;
for await (const line of createInterface({ input, crlfDelay: Infinity })) count += line ? 1 : 0;
console.log("lines", count);
const lines = createInterface({ input: Readable.from(["a\nb", "c\nd"]) });
lines.on("line", (line) => console.log(line));
lines.on("close", () => console.log("closed"));
const asked = promised({ input: Readable.from(["yes\n"]) });
console.log(await asked.question("sure? "));
asked.close();
