// What the build packs: LZMA, as bytes or in base64. A browser's own decompression knows gzip only, which is a
// fifth larger.
import { decompressed } from "./lzma.js";

/** The bytes of a text in base64 that holds an .lzma file. */
export function unpack(text) {
  const letters = atob(text);
  const file = new Uint8Array(letters.length);
  for (let at = 0; at < file.length; at++) file[at] = letters.charCodeAt(at);
  return decompressed(file);
}
