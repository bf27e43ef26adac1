// Four ways to get the records out of a stream of bytes, for the program chunk-sizes.mjs. Each is a generator of
// texts: chunks in, records out.
import { StringDecoder } from "node:string_decoder";

/** Takes each chunk for whole lines. */
export async function* perChunk(chunks) {
  for await (const chunk of chunks) yield* String(chunk).split("\n").filter(Boolean);
}

/** Keeps the rest of the last line, but decodes each chunk alone. */
export async function* carried(chunks) {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + String(chunk)).split("\n");
    rest = lines.pop();
    yield* lines;
  }
  if (rest) yield rest;
}

/** Keeps the rest of the last line, and of the last character. */
export async function* decoded(chunks) {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop();
    yield* lines;
  }
  rest += decoder.end();
  if (rest) yield rest;
}

/** CSV: a newline between quotes belongs to the field, so lines are joined until the quotes are even. */
export async function* csv(chunks) {
  let open = "";
  for await (const line of decoded(chunks)) {
    open += open ? `\n${line}` : line;
    if ((open.match(/"/g)?.length ?? 0) % 2 === 0) {
      yield open;
      open = "";
    }
  }
}
