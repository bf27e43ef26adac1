// What the build packs: LZMA, as bytes or in base64. A browser's own decompression knows gzip only, which is a
// fifth larger.
import LZMA from "js-lzma";

/** The bytes of a text in base64 that holds an .lzma file. */
export function unpack(text) {
  const letters = atob(text);
  const file = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  // An .lzma file has the length of its content in the eight bytes after the first five.
  const length = new DataView(file.buffer).getUint32(5, true);
  const bytes = new Uint8Array(length);
  let [from, to] = [0, 0];
  LZMA.decompressFile(
    { readByte: () => file[from++] },
    {
      writeBytes: (chunk) => {
        bytes.set(chunk, to);
        to += chunk.length;
      },
      writeByte: (byte) => {
        bytes[to++] = byte;
      },
    },
  );
  return bytes;
}
