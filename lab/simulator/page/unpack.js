// What the build packs: LZMA, as bytes or in base64. A browser's own decompression knows gzip only, which is a
// fifth larger.
import LZMA from "js-lzma";

/** The bytes of a text in base64 that holds an .lzma file. */
export function unpack(text) {
  const letters = atob(text);
  const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  // An .lzma file has the length of its content in the eight bytes after the first five.
  const length = new DataView(packed.buffer).getUint32(5, true);
  const bytes = new Uint8Array(length);
  let [read, written] = [0, 0];
  LZMA.decompressFile(
    { readByte: () => packed[read++] },
    {
      writeBytes: (chunk) => {
        bytes.set(chunk, written);
        written += chunk.length;
      },
      writeByte: (byte) => {
        bytes[written++] = byte;
      },
    },
  );
  return bytes;
}
