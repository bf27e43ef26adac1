// Is the body the expected one? Length always; with a SHA-256 every byte, and still cheaply: the first bodies are hashed, and
// as soon as one has matched, its bytes are the reference that all later ones are compared with (memcmp, ~10 GB/s, where
// SHA-256 does 1 to 2 GB/s on the core that also drives the load). Where nothing is expected, the first body is what the others
// are compared with: another one is no error, but it is counted.
import { createHash } from "node:crypto";

// Larger bodies keep no reference: the first response of each connection is hashed, for the others the length must do.
export const MAX_REFERENCE_BYTES = 4_194_304;

// What a stream expects, shared by its connections.
export class ExpectedBody {
  reference = null;
  collector = null; // the one BodyCheck that keeps the bytes it hashes: 1,000 connections must not keep 1 MB each
  differing = 0; // accepted answers with another body than the first
  byLength = 0; // accepted answers of which only the length was compared

  // bytes and sha256 as in the specification, null for "anything"; learns: then the first body says.
  constructor(bytes, sha256, learns = false) {
    this.bytes = bytes;
    this.sha256 = sha256;
    this.learns = learns && bytes === null && sha256 === null;
  }

  // An answer whose head is known and whose body, buffer[from, to), was not parsed.
  compare(buffer, from, to) {
    const { reference } = this;
    if (reference !== null) {
      if (buffer.compare(reference, 0, reference.length, from, to) !== 0) this.differing++;
    } else if (to - from === this.bytes) this.byLength++;
    else this.differing++;
  }
}

// The check of the response in flight on one connection.
export class BodyCheck {
  #expected;
  #received = 0;
  #differs = false;
  #hash = null;
  #pieces = null;
  #hashedOnce = false;

  constructor(expected) {
    this.#expected = expected;
  }

  begin() {
    const { sha256, reference, bytes, learns } = this.#expected;
    this.#received = 0;
    this.#differs = false;
    this.#hash = null;
    this.#release();
    if ((sha256 === null && !learns) || reference !== null) return;
    const mayBecomeReference = bytes === null || bytes <= MAX_REFERENCE_BYTES;
    // Nor is a server with ever new bodies hashed for ever.
    if ((!mayBecomeReference || learns) && this.#hashedOnce) return;
    this.#hash = createHash("sha256");
    if (mayBecomeReference && this.#expected.collector === null) {
      this.#expected.collector = this;
      this.#pieces = [];
    }
  }

  // Body bytes [from, to) of buffer follow; the buffer is the caller's.
  piece(buffer, from, to) {
    const { reference } = this.#expected;
    const at = this.#received;
    this.#received += to - from;
    if (this.#hash !== null) {
      const piece = buffer.subarray(from, to);
      this.#hash.update(piece);
      if (this.#received > MAX_REFERENCE_BYTES) this.#release();
      this.#pieces?.push(Buffer.from(piece));
    } else if (reference !== null) {
      const fits = this.#received <= reference.length;
      if (!fits || buffer.compare(reference, at, this.#received, from, to) !== 0)
        this.#differs = true;
    }
  }

  // The body is complete: is it the expected one?
  matches() {
    const expected = this.#expected;
    const { bytes, sha256, reference } = expected;
    let matches = bytes === null || this.#received === bytes;
    let onlyLength = false;
    if (this.#hash !== null) {
      this.#hashedOnce = true;
      const found = this.#hash.digest("hex");
      if (expected.learns && sha256 === null) {
        expected.bytes = this.#received;
        expected.sha256 = found;
      } else {
        matches = found === sha256 && matches;
      }
      if (matches && this.#pieces !== null) expected.reference = Buffer.concat(this.#pieces);
    } else if (reference !== null) {
      matches = matches && !this.#differs && this.#received === reference.length;
    } else {
      onlyLength = sha256 !== null;
    }
    this.#hash = null;
    this.#release();
    if (matches && onlyLength) expected.byLength++;
    if (matches || !expected.learns) return matches;
    expected.differing++;
    return true;
  }

  // The response will not be completed.
  abandon() {
    this.#hash = null;
    this.#release();
  }

  #release() {
    this.#pieces = null;
    if (this.#expected.collector === this) this.#expected.collector = null;
  }
}
