// The fast path. A server under load repeats itself: the same head (but for Date, once a second) and often the same body. A
// chunk that equals, byte for byte, a response that the parser has accepted before needs no second parsing, because the parser
// would come to the same result. One comparison of 300 bytes instead of a parse.

// Up to here a loop over 32-bit words in JavaScript beats the call into memcmp.
const LOOP_BYTES = 1_024;
const MAX_BYTES = 65_536;

export class KnownResponse {
  length = -1; // of the whole response; -1 = none known
  status = 0;
  keepAlive = false;
  bodyFrom = 0; // where the body begins, if it is to be compared with the first one; 0 = it is not
  #compared = 0; // bytes that must be equal: the head, or everything where the body is to be verified
  #bytes = Buffer.alloc(0);
  #words = new Int32Array(0);

  // Remember the response that is bytes[0, length), the only content of the chunk it came in.
  learn(bytes, length, compared, status, keepAlive, bodyFrom) {
    if (compared > MAX_BYTES) return;
    if (compared > this.#bytes.length) {
      const storage = new ArrayBuffer(Math.ceil(compared / 512) * 512);
      this.#bytes = Buffer.from(storage);
      this.#words = new Int32Array(storage);
    }
    bytes.copy(this.#bytes, 0, 0, compared);
    this.length = length;
    this.status = status;
    this.keepAlive = keepAlive;
    this.bodyFrom = bodyFrom;
    this.#compared = compared;
  }

  // bytes and words are two views of the same read buffer, of which the first this.length bytes are a chunk.
  equals(bytes, words) {
    const compared = this.#compared;
    if (compared > LOOP_BYTES) return bytes.compare(this.#bytes, 0, compared, 0, compared) === 0;
    const known = this.#words;
    const whole = compared >> 2;
    for (let word = 0; word < whole; word++) {
      if (words[word] !== known[word]) return false;
    }
    for (let byte = whole << 2; byte < compared; byte++) {
      if (bytes[byte] !== this.#bytes[byte]) return false;
    }
    return true;
  }
}
