// Sheets of QR codes in JavaScript: COUNT images for a text, the same bytes as servers/rust/qr.
// The book uses it on the main thread, in slices, and in workers.
import QRCode from "qrcode";

const SCALE = 3; // pixels a module
const MARGIN = 4; // modules
const HEADER = 62;

// The mask of the eight whose picture is nearest to half dark; what "best" is, libraries disagree.
const encode = (text) => {
  const bytes = [{ data: Buffer.from(text), mode: "byte" }];
  let best = { off: Infinity };
  for (let maskPattern = 0; maskPattern < 8; maskPattern++) {
    const { modules } = QRCode.create(bytes, { maskPattern });
    let dark = 0;
    for (const module of modules.data) dark += module;
    const off = Math.abs(2 * dark - modules.data.length);
    if (off < best.off) best = { off, modules };
  }
  return best.modules;
};

const bitmap = (text) => {
  const modules = encode(text);
  const side = (modules.size + 2 * MARGIN) * SCALE;
  const stride = Math.ceil(side / 32) * 4;
  const bmp = Buffer.alloc(HEADER + stride * side, 0xff);
  bmp.write("BM");
  const sizes = [bmp.length, 0, HEADER, 40, side, -side]; // negative: the top row first
  const rest = [0x10001, 0, 0, 2835, 2835, 2, 2, 0, 0xffffff];
  for (const [at, word] of [...sizes, ...rest].entries()) bmp.writeInt32LE(word, 2 + 4 * at);
  for (const [at, module] of modules.data.entries()) {
    if (!module) continue;
    const top = (Math.floor(at / modules.size) + MARGIN) * SCALE;
    const left = ((at % modules.size) + MARGIN) * SCALE;
    for (let y = top; y < top + SCALE; y++)
      for (let x = left; x < left + SCALE; x++)
        bmp[HEADER + y * stride + (x >> 3)] &= ~(0x80 >> (x & 7));
  }
  return bmp;
};

export const code = (text, i) =>
  `data:image/bmp;base64,${bitmap(`${text}#${i}`).toString("base64")}\n`;

export const sheet = ({ text, count }) => {
  let codes = "";
  for (let i = 0; i < count; i++) codes += code(text, i);
  return codes;
};
