// A strict HTTP/1.1 response parser (RFC 9112 §6.3), fed by chunks cut anywhere. What the RFC does not allow is a
// MalformedResponse with a code, never a guess: a load generator that repairs answers hides broken servers.
import {
  colonOfField,
  MalformedResponse,
  parseChunkSize,
  parseContentLength,
  parseStatusLine,
  trimWhitespace,
} from "./http-syntax.mjs";

// Status line, fields and trailers of one response, interim (1xx) responses before it included. Node's own limit is 16 KiB.
export const MAX_HEAD_BYTES = 65_536;
// One chunk-size line with its extensions.
export const MAX_CHUNK_LINE_BYTES = 4_096;

const LF = 10;
const CR = 13;
const START_OF_STATUS_LINE = "HTTP/1.";
const NO_LENGTH = -1;

const STATUS_LINE = 0;
const FIELDS = 1;
const COUNTED_BODY = 2;
const BODY_UNTIL_CLOSE = 3;
const CHUNK_SIZE = 4;
const CHUNK_DATA = 5;
const CHUNK_CR = 6;
const CHUNK_LF = 7;
const TRAILERS = 8;
const DONE = 9;

export class ResponseParser {
  #state = STATUS_LINE;
  #withoutBody = false;
  #carry = Buffer.alloc(0);
  #carried = 0;
  #headBytes = 0;
  #left = 0;
  #minorVersion = 1;
  #contentLength = NO_LENGTH;
  #chunked = false;
  #saysClose = false;
  #saysKeepAlive = false;
  #onBody;

  status = 0;
  bodyBytes = 0;
  started = false; // a byte of this response has arrived
  interim = 0; // 1xx responses that preceded it

  // onBody(buffer, from, to) sees every piece of the body without its framing; it must copy what it keeps.
  constructor(onBody) {
    this.#onBody = onBody;
  }

  // Expect a new response; withoutBody: it answers a HEAD request.
  begin(withoutBody) {
    this.#withoutBody = withoutBody;
    this.#headBytes = 0;
    this.bodyBytes = 0;
    this.started = false;
    this.interim = 0;
    this.#beginHead();
  }

  get done() {
    return this.#state === DONE;
  }

  get chunked() {
    return this.#chunked && !this.#hasNoBody();
  }

  // True if the server may be sent another request on this connection (RFC 9112 §9.3). Valid once done.
  get keepAlive() {
    if (this.#saysClose || this.#endsWithConnection()) return false;
    return this.#minorVersion === 1 || this.#saysKeepAlive;
  }

  // Takes bytes [from, to) of buffer and returns how many of them belong to this response; fewer than offered means that it is
  // done and something follows. Throws MalformedResponse.
  push(buffer, from, to) {
    let at = from;
    if (to > from) this.started = true;
    while (at < to && this.#state !== DONE) {
      switch (this.#state) {
        case COUNTED_BODY:
        case CHUNK_DATA:
          at = this.#takeCounted(buffer, at, to);
          break;
        case BODY_UNTIL_CLOSE:
          this.#body(buffer, at, to);
          at = to;
          break;
        case CHUNK_CR:
        case CHUNK_LF:
          this.#takeChunkEnd(buffer[at++]);
          break;
        default:
          at = this.#takeLine(buffer, at, to);
      }
    }
    return at - from;
  }

  // The server closed the connection; returns whether that completes the response.
  close() {
    if (this.#state === BODY_UNTIL_CLOSE) this.#state = DONE;
    return this.#state === DONE;
  }

  #beginHead() {
    this.#state = STATUS_LINE;
    this.#carried = 0;
    this.#contentLength = NO_LENGTH;
    this.#chunked = false;
    this.#saysClose = false;
    this.#saysKeepAlive = false;
  }

  #takeLine(buffer, from, to) {
    const lineFeed = buffer.indexOf(LF, from);
    const complete = lineFeed >= 0 && lineFeed < to;
    const end = complete ? lineFeed + 1 : to;
    this.#limit(end - from);
    if (!complete || this.#carried > 0) this.#keep(buffer, from, end);
    if (this.#state === STATUS_LINE) this.#checkStart(buffer, from, end);
    if (!complete) return to;
    if (this.#carried > 0) {
      const length = this.#carried;
      this.#carried = 0;
      this.#line(this.#carry, 0, length);
    } else {
      this.#line(buffer, from, end);
    }
    return end;
  }

  #limit(bytes) {
    if (this.#state === CHUNK_SIZE) {
      // A chunked body may have any number of such lines, so each is limited for itself.
      if (this.#carried + bytes > MAX_CHUNK_LINE_BYTES)
        throw new MalformedResponse("LONG_CHUNK_LINE");
      return;
    }
    this.#headBytes += bytes;
    if (this.#headBytes > MAX_HEAD_BYTES) throw new MalformedResponse("HEAD_TOO_LARGE");
  }

  #keep(buffer, from, end) {
    const needed = this.#carried + end - from;
    if (needed > this.#carry.length) {
      const larger = Buffer.alloc(Math.max(512, 2 * needed));
      this.#carry.copy(larger, 0, 0, this.#carried);
      this.#carry = larger;
    }
    this.#carried += buffer.copy(this.#carry, this.#carried, from, end);
  }

  // A peer that does not speak HTTP may never send a line feed: say so now, not at the timeout.
  #checkStart(buffer, from, end) {
    const start = this.#carried > 0 ? this.#carry : buffer.subarray(from);
    const length = Math.min(this.#carried || end - from, START_OF_STATUS_LINE.length);
    if (start.latin1Slice(0, length) !== START_OF_STATUS_LINE.slice(0, length)) {
      throw new MalformedResponse("BAD_STATUS_LINE");
    }
  }

  // bytes[from, end) is a line with its line feed.
  #line(bytes, from, end) {
    const contentEnd = end - 2;
    if (contentEnd < from || bytes[contentEnd] !== CR) throw new MalformedResponse("BARE_LF");
    switch (this.#state) {
      case STATUS_LINE: {
        const line = parseStatusLine(bytes.latin1Slice(from, contentEnd));
        this.status = line.status;
        this.#minorVersion = line.minorVersion;
        this.#state = FIELDS;
        break;
      }
      case FIELDS:
        if (contentEnd === from) this.#headComplete();
        else this.#field(bytes, from, contentEnd);
        break;
      case CHUNK_SIZE:
        this.#left = parseChunkSize(bytes.latin1Slice(from, contentEnd));
        this.#state = this.#left === 0 ? TRAILERS : CHUNK_DATA;
        break;
      default: // TRAILERS: their syntax is checked, their content does not concern us
        if (contentEnd === from) this.#state = DONE;
        else colonOfField(bytes, from, contentEnd);
    }
  }

  // Only three fields matter here; their names differ in length, so the others cost no string.
  #field(bytes, from, end) {
    const colon = colonOfField(bytes, from, end);
    const nameLength = colon - from;
    if (nameLength !== 10 && nameLength !== 14 && nameLength !== 17) return;
    const name = bytes.latin1Slice(from, colon).toLowerCase();
    if (name === "connection") {
      const options = bytes
        .latin1Slice(colon + 1, end)
        .toLowerCase()
        .split(",");
      for (const option of options) {
        if (trimWhitespace(option) === "close") this.#saysClose = true;
        if (trimWhitespace(option) === "keep-alive") this.#saysKeepAlive = true;
      }
    } else if (name === "content-length") {
      const length = parseContentLength(bytes.latin1Slice(colon + 1, end));
      if (this.#contentLength !== NO_LENGTH && this.#contentLength !== length) {
        throw new MalformedResponse("CONFLICTING_CONTENT_LENGTH");
      }
      this.#contentLength = length;
    } else if (name === "transfer-encoding") {
      // We never ask for compression of the transfer, so chunked alone is the only coding we can be sent.
      const coding = trimWhitespace(bytes.latin1Slice(colon + 1, end)).toLowerCase();
      if (coding !== "chunked" || this.#chunked)
        throw new MalformedResponse("BAD_TRANSFER_ENCODING");
      this.#chunked = true;
    }
  }

  // RFC 9112 §6.3, in its order.
  #headComplete() {
    if (this.status === 101) throw new MalformedResponse("UNEXPECTED_101");
    if (this.status < 200) {
      this.interim++;
      this.#beginHead();
    } else if (this.#hasNoBody()) {
      this.#state = DONE;
    } else if (this.#chunked) {
      if (this.#contentLength !== NO_LENGTH) throw new MalformedResponse("LENGTH_AND_CHUNKED");
      if (this.#minorVersion === 0) throw new MalformedResponse("CHUNKED_IN_HTTP_1_0");
      this.#state = CHUNK_SIZE;
    } else if (this.#contentLength !== NO_LENGTH) {
      this.#left = this.#contentLength;
      this.#state = this.#left === 0 ? DONE : COUNTED_BODY;
    } else {
      this.#state = BODY_UNTIL_CLOSE;
    }
  }

  #hasNoBody() {
    return this.#withoutBody || this.status === 204 || this.status === 304;
  }

  #endsWithConnection() {
    return !this.#hasNoBody() && !this.#chunked && this.#contentLength === NO_LENGTH;
  }

  #takeCounted(buffer, at, to) {
    const end = Math.min(to, at + this.#left);
    this.#left -= end - at;
    if (this.#left === 0) this.#state = this.#state === CHUNK_DATA ? CHUNK_CR : DONE;
    this.#body(buffer, at, end);
    return end;
  }

  #takeChunkEnd(byte) {
    if (byte !== (this.#state === CHUNK_CR ? CR : LF)) throw new MalformedResponse("BAD_CHUNK_END");
    this.#state = this.#state === CHUNK_CR ? CHUNK_LF : CHUNK_SIZE;
  }

  #body(buffer, from, to) {
    this.bodyBytes += to - from;
    this.#onBody?.(buffer, from, to);
  }
}
