// Unpacks LZMA: an .lzma file whose head says its length. The package js-lzma takes a third longer, and a page
// waits for this at its first run.

const LEN_LOW = 2;
const LEN_MIDDLE = LEN_LOW + (16 << 3);
const LEN_HIGH = LEN_MIDDLE + (16 << 3);
const LEN_SIZE = LEN_HIGH + 256;
const IS_REP = 12 << 4;
const IS_REP_0 = IS_REP + 12;
const IS_REP_1 = IS_REP_0 + 12;
const IS_REP_2 = IS_REP_1 + 12;
const IS_REP_0_LONG = IS_REP_2 + 12;
const SLOT = IS_REP_0_LONG + (12 << 4);
const SPECIAL = SLOT + (4 << 6);
const ALIGN = SPECIAL + 128;
const LEN = ALIGN + 16;
const REP_LEN = LEN + LEN_SIZE;
const LITERAL = REP_LEN + LEN_SIZE;
const RANGE = 0; // in a typed array, where numbers of 32 bits stay what they are
const CODE = 1;
const SIGN = 1 << 31; // numbers of 32 bits are compared without their sign

/** The bytes that are packed in a file's. */
export function decompressed(file) {
  const lc = file[0] % 9;
  const lp = ((file[0] / 9) | 0) % 5;
  const pb = (file[0] / 45) | 0;
  const size = new DataView(file.buffer, file.byteOffset).getUint32(5, true);
  const out = new Uint8Array(size);
  const chances = new Uint16Array(LITERAL + (0x300 << (lc + lp))).fill(1024);
  let at = 18;
  const coder = new Int32Array([-1, 0]);
  coder[CODE] = (file[14] << 24) | (file[15] << 16) | (file[16] << 8) | file[17];

  const bit = (place) => {
    const chance = chances[place];
    let range = coder[RANGE];
    let code = coder[CODE];
    const limit = Math.imul(range >>> 11, chance);
    let result = 0;
    if ((code ^ SIGN) < (limit ^ SIGN)) {
      range = limit;
      chances[place] = chance + ((2048 - chance) >> 5);
    } else {
      range = (range - limit) | 0;
      code = (code - limit) | 0;
      chances[place] = chance - (chance >> 5);
      result = 1;
    }
    if (range >>> 24 === 0) {
      range <<= 8;
      code = (code << 8) | file[at++];
    }
    coder[RANGE] = range;
    coder[CODE] = code;
    return result;
  };
  const tree = (place, bits) => {
    let number = 1;
    for (let count = bits; count > 0; count--) number = (number << 1) | bit(place + number);
    return number - (1 << bits);
  };
  const reversedTree = (place, bits) => {
    let [number, result] = [1, 0];
    for (let count = 0; count < bits; count++) {
      const next = bit(place + number);
      number = (number << 1) | next;
      result |= next << count;
    }
    return result;
  };
  const direct = (bits) => {
    let result = 0;
    for (let count = bits; count > 0; count--) {
      coder[RANGE] >>>= 1;
      const isOne = (coder[CODE] ^ SIGN) >= (coder[RANGE] ^ SIGN);
      if (isOne) coder[CODE] -= coder[RANGE];
      result = (result << 1) | (isOne ? 1 : 0);
      if (coder[RANGE] >>> 24 === 0) {
        coder[RANGE] <<= 8;
        coder[CODE] = (coder[CODE] << 8) | file[at++];
      }
    }
    return result;
  };
  const length = (place, state) => {
    if (!bit(place)) return 2 + tree(place + LEN_LOW + (state << 3), 3);
    if (!bit(place + 1)) return 10 + tree(place + LEN_MIDDLE + (state << 3), 3);
    return 18 + tree(place + LEN_HIGH, 8);
  };
  const distance = (count) => {
    const slot = tree(SLOT + (Math.min(count - 2, 3) << 6), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) << bits;
    if (slot < 14) return high + reversedTree(SPECIAL + high - slot, bits);
    return high + (direct(bits - 4) << 4) + reversedTree(ALIGN, 4);
  };

  let [state, rep0, rep1, rep2, rep3] = [0, 0, 0, 0, 0];
  for (let to = 0; to < size; ) {
    const place = to & ((1 << pb) - 1);
    if (!bit((state << 4) + place)) {
      const before = to ? out[to - 1] : 0;
      const context = ((to & ((1 << lp) - 1)) << lc) | (before >> (8 - lc));
      const literal = LITERAL + 0x300 * context;
      let symbol = 1;
      if (state >= 7) {
        let match = out[to - rep0 - 1];
        while (symbol < 256) {
          const expected = (match >> 7) & 1;
          match <<= 1;
          const next = bit(literal + ((1 + expected) << 8) + symbol);
          symbol = (symbol << 1) | next;
          if (next !== expected) break;
        }
      }
      while (symbol < 256) symbol = (symbol << 1) | bit(literal + symbol);
      out[to++] = symbol;
      state = state < 4 ? 0 : state - (state < 10 ? 3 : 6);
      continue;
    }
    let count;
    if (!bit(IS_REP + state)) {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      count = length(LEN, place);
      state = state < 7 ? 7 : 10;
      rep0 = distance(count);
    } else {
      if (!bit(IS_REP_0 + state)) {
        if (!bit(IS_REP_0_LONG + (state << 4) + place)) {
          state = state < 7 ? 9 : 11;
          out[to] = out[to - rep0 - 1];
          to++;
          continue;
        }
      } else if (!bit(IS_REP_1 + state)) [rep0, rep1] = [rep1, rep0];
      else if (!bit(IS_REP_2 + state)) [rep0, rep1, rep2] = [rep2, rep0, rep1];
      else [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
      count = length(REP_LEN, place);
      state = state < 7 ? 8 : 11;
    }
    const end = Math.min(size, to + count);
    for (let from = to - rep0 - 1; to < end; ) out[to++] = out[from++];
  }
  return out;
}
