// The grammar of an HTTP/1.1 response, line by line (RFC 9112, RFC 9110 §5): pure functions that return the meaning of a line
// or throw a MalformedResponse with a code.

export class MalformedResponse extends Error {
  constructor(code) {
    super(`malformed HTTP response: ${code}`);
    this.name = "MalformedResponse";
    this.code = code;
  }
}

const COLON = 58;
const TOKEN_BYTE = 1;
const VALUE_BYTE = 2;
const BYTE_CLASS = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
  const character = String.fromCharCode(byte);
  if (/[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(character)) BYTE_CLASS[byte] |= TOKEN_BYTE;
  // Tab, space, visible characters and bytes above 127: no control characters, so no stray CR either.
  if (byte === 9 || (byte >= 32 && byte !== 127)) BYTE_CLASS[byte] |= VALUE_BYTE;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9]{2}) [\t\x20-\x7e\x80-\xff]*$/;
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED =
  '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const CHUNK_SIZE = /^[0-9A-Fa-f]{1,16}/;
const CHUNK_EXTENSIONS = new RegExp(
  `^(?:[\\t ]*;[\\t ]*${TOKEN}(?:[\\t ]*=[\\t ]*(?:${TOKEN}|${QUOTED}))?)*$`,
);

// "HTTP/1.1 200 OK" without its CRLF.
export function parseStatusLine(line) {
  const match = STATUS_LINE.exec(line);
  if (match === null) throw new MalformedResponse("BAD_STATUS_LINE");
  return { minorVersion: Number(match[1]), status: Number(match[2]) };
}

// Index of the colon of the field line bytes[from, end). Runs for every header byte of every response that is not the
// repetition of an earlier one, hence the table instead of a regular expression.
export function colonOfField(bytes, from, end) {
  let at = from;
  while (at < end && (BYTE_CLASS[bytes[at]] & TOKEN_BYTE) !== 0) at++;
  if (at === from || at === end || bytes[at] !== COLON) throw new MalformedResponse("BAD_FIELD");
  for (let value = at + 1; value < end; value++) {
    if ((BYTE_CLASS[bytes[value]] & VALUE_BYTE) === 0) throw new MalformedResponse("BAD_FIELD");
  }
  return at;
}

// Optional whitespace is tab and space; String.trim() would also take the no-break space, which is a byte of a value. Loops,
// because /[\t ]+$/ takes quadratic time for a long run of spaces inside a value.
export function trimWhitespace(value) {
  let from = 0;
  let end = value.length;
  while (from < end && isWhitespace(value.charCodeAt(from))) from++;
  while (end > from && isWhitespace(value.charCodeAt(end - 1))) end--;
  return value.slice(from, end);
}

function isWhitespace(code) {
  return code === 9 || code === 32;
}

// RFC 9112 §6.3: a list of identical values counts as one, anything else is an error.
export function parseContentLength(value) {
  let length = -1;
  for (const part of value.split(",")) {
    const digits = trimWhitespace(part);
    if (!/^[0-9]{1,16}$/.test(digits)) throw new MalformedResponse("BAD_CONTENT_LENGTH");
    const number = Number(digits);
    if (!Number.isSafeInteger(number)) throw new MalformedResponse("BAD_CONTENT_LENGTH");
    if (length >= 0 && number !== length) throw new MalformedResponse("CONFLICTING_CONTENT_LENGTH");
    length = number;
  }
  return length;
}

// Size of a chunk from its line without CRLF; extensions are checked and ignored (RFC 9112 §7.1.1).
export function parseChunkSize(line) {
  const digits = CHUNK_SIZE.exec(line);
  if (digits === null) throw new MalformedResponse("BAD_CHUNK_SIZE");
  const size = Number.parseInt(digits[0], 16);
  const rest = line.slice(digits[0].length);
  if (!Number.isSafeInteger(size) || /^[0-9A-Fa-f]/.test(rest)) {
    throw new MalformedResponse("BAD_CHUNK_SIZE");
  }
  if (!CHUNK_EXTENSIONS.test(rest)) throw new MalformedResponse("BAD_CHUNK_EXTENSION");
  return size;
}
