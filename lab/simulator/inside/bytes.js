// Evaluated inside the engine after realm.js: what Node's C++ does with bytes and text, for Node's own
// Buffer, string decoder, TextEncoder and TextDecoder.
(machine) => {
  const ENCODINGS = ["ascii", "utf8", "base64", "utf16le", "latin1", "hex", "buffer", "base64url"];
  const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const VALUES = new Map([...BASE64].map((letter, value) => [letter, value]));
  for (const [letter, value] of [
    ["-", 62],
    ["_", 63],
  ])
    VALUES.set(letter, value);
  const { isView } = ArrayBuffer;
  const viewOf = (value) =>
    isView(value)
      ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      : new Uint8Array(value);

  // --- text as bytes ---------------------------------------------------------------------------
  const utf8Bytes = (text) => {
    const bytes = [];
    for (const letter of String(text)) {
      let code = letter.codePointAt(0);
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
      else if (code < 0x10000)
        bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      else
        bytes.push(
          0xf0 | (code >> 18),
          0x80 | ((code >> 12) & 63),
          0x80 | ((code >> 6) & 63),
          0x80 | (code & 63),
        );
    }
    return bytes;
  };
  const codesOf = (text) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const base64Bytes = (text) => {
    const bytes = [];
    let [bits, count] = [0, 0];
    for (const letter of text) {
      if (letter === "=") break;
      const value = VALUES.get(letter);
      if (value === undefined) continue;
      bits = ((bits << 6) | value) & 0xffffff;
      count += 6;
      if (count < 8) continue;
      count -= 8;
      bytes.push((bits >> count) & 255);
    }
    return bytes;
  };
  const hexBytes = (text) => {
    const bytes = [];
    for (let at = 0; at + 1 < text.length; at += 2) {
      const pair = text.slice(at, at + 2);
      if (!/^[\da-f]{2}$/i.test(pair)) break;
      bytes.push(Number.parseInt(pair, 16));
    }
    return bytes;
  };
  const TO_BYTES = {
    ascii: (text) => codesOf(text).map((code) => code & 255),
    latin1: (text) => codesOf(text).map((code) => code & 255),
    utf8: utf8Bytes,
    utf16le: (text) => codesOf(text).flatMap((code) => [code & 255, code >> 8]),
    base64: base64Bytes,
    base64url: base64Bytes,
    hex: hexBytes,
  };

  // --- bytes as text ---------------------------------------------------------------------------
  /** How many bytes a letter of UTF-8 has that begins with this one; 0 if none begins so. */
  const lengthOf = (byte) =>
    byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
  const isSecond = (first, second) =>
    (second & 0xc0) === 0x80 &&
    !(first === 0xe0 && second < 0xa0) &&
    !(first === 0xed && second >= 0xa0) &&
    !(first === 0xf0 && second < 0x90) &&
    !(first === 0xf4 && second >= 0x90);
  /** The end of the longest beginning of a letter at a place. */
  const endOfLetter = (bytes, start) => {
    const length = lengthOf(bytes[start]);
    let end = start + 1;
    if (length > 1 && end < bytes.length && isSecond(bytes[start], bytes[end])) {
      end++;
      while (end < start + length && end < bytes.length && (bytes[end] & 0xc0) === 0x80) end++;
    }
    return end;
  };
  const utf8Text = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; ) {
      const length = lengthOf(bytes[at]);
      const end = endOfLetter(bytes, at);
      if (length === 0 || end - at < length) text += "\ufffd";
      else if (length === 1) text += String.fromCharCode(bytes[at]);
      else {
        let code = bytes[at] & (0x7f >> length);
        for (let next = at + 1; next < end; next++) code = (code << 6) | (bytes[next] & 63);
        text += String.fromCodePoint(code);
      }
      at = end;
    }
    return text;
  };
  const base64Text = (bytes, isUrl) => {
    const letters = isUrl ? BASE64.replace("+", "-").replace("/", "_") : BASE64;
    let text = "";
    for (let at = 0; at < bytes.length; at += 3) {
      const left = bytes.length - at;
      const bits = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      text += letters[bits >> 18] + letters[(bits >> 12) & 63];
      text += left > 1 ? letters[(bits >> 6) & 63] : isUrl ? "" : "=";
      text += left > 2 ? letters[bits & 63] : isUrl ? "" : "=";
    }
    return text;
  };
  const lettersOf = (codes) => Array.from(codes, (code) => String.fromCharCode(code)).join("");
  const TO_TEXT = {
    ascii: (bytes) => lettersOf(bytes.map((byte) => byte & 127)),
    latin1: lettersOf,
    utf8: utf8Text,
    utf16le: (bytes) =>
      lettersOf(
        Array.from(
          { length: bytes.length >> 1 },
          (_, at) => bytes[2 * at] | (bytes[2 * at + 1] << 8),
        ),
      ),
    base64: (bytes) => base64Text(bytes, false),
    base64url: (bytes) => base64Text(bytes, true),
    hex: (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""),
  };
  machine.textOf = (bytes, encoding = "utf8") => TO_TEXT[encoding](viewOf(bytes));
  machine.bytesOf = (text, encoding = "utf8") => Uint8Array.from(TO_BYTES[encoding](text));

  /** An error of Node's C++. */
  const codedError = (code, message) =>
    Object.assign(new TypeError(message), { code: `ERR_${code}` });

  // --- the binding of Buffer ---------------------------------------------------------------------
  // Node 22 calls these as methods of the buffer, later ones with the buffer as first argument.
  const method = (body) =>
    function called(...values) {
      return isView(values[0]) ? body(...values) : body(this, ...values);
    };
  const slice = (encoding) =>
    method((buffer, start = 0, end = buffer.byteLength) =>
      TO_TEXT[encoding](viewOf(buffer).subarray(start, Math.max(start, end))),
    );
  const writeBytes = (buffer, bytes, offset = 0, length = buffer.byteLength - offset) => {
    const count = Math.min(bytes.length, length, buffer.byteLength - offset);
    viewOf(buffer).set(bytes.length > count ? bytes.slice(0, count) : bytes, offset);
    return count;
  };
  const write = (encoding) =>
    method((buffer, text, offset, length) => {
      if (typeof text !== "string")
        throw codedError("INVALID_ARG_TYPE", "argument must be a string");
      const bytes = TO_BYTES[encoding](text);
      if (encoding !== "utf8") return writeBytes(buffer, bytes, offset, length);
      // A letter that has no room is left out whole.
      const room = Math.min(length ?? Number.POSITIVE_INFINITY, buffer.byteLength - (offset ?? 0));
      let end = Math.min(bytes.length, room);
      while (end < bytes.length && end > 0 && (bytes[end] & 0xc0) === 0x80) end--;
      return writeBytes(buffer, bytes.slice(0, end), offset);
    });
  const compareBytes = (a, b) => {
    for (let at = 0; at < Math.min(a.length, b.length); at++)
      if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
    return Math.sign(a.length - b.length);
  };
  const find = (buffer, pattern, offset, isForward, end = buffer.byteLength) => {
    const bytes = viewOf(buffer);
    let from = offset < 0 ? bytes.length + offset : offset;
    if (from < 0) {
      if (!isForward) return -1;
      from = 0;
    }
    const last = Math.min(end, bytes.length) - pattern.length;
    if (pattern.length === 0) return Math.min(from, bytes.length);
    const isAt = (place) => pattern.every((byte, at) => bytes[place + at] === byte);
    if (isForward) {
      for (let place = from; place <= last; place++) if (isAt(place)) return place;
    } else
      for (let place = Math.min(from, last); place >= 0; place--) if (isAt(place)) return place;
    return -1;
  };
  const swap = (size) => (buffer) => {
    const bytes = viewOf(buffer);
    for (let at = 0; at + size <= bytes.length; at += size) bytes.subarray(at, at + size).reverse();
    return buffer;
  };
  machine.bindings.buffer = {
    kMaxLength: 2 ** 53 - 1,
    kStringMaxLength: 2 ** 29 - 24,
    setBufferPrototype() {},
    getZeroFillToggle: () => undefined,
    setDetachKey() {},
    createUnsafeArrayBuffer: (size) => new ArrayBuffer(size),
    arrayBufferAlignedOffset: () => 0,
    byteLengthUtf8: (text) => utf8Bytes(text).length,
    compare: (a, b) => compareBytes(viewOf(a), viewOf(b)),
    compareOffset: (source, target, targetStart, sourceStart, targetEnd, sourceEnd) =>
      compareBytes(
        viewOf(source).subarray(sourceStart, sourceEnd),
        viewOf(target).subarray(targetStart, targetEnd),
      ),
    copyArrayBuffer(target, targetStart, source, sourceStart, count) {
      new Uint8Array(target, targetStart, count).set(new Uint8Array(source, sourceStart, count));
    },
    copy(source, target, targetStart, sourceStart, count) {
      viewOf(target).set(viewOf(source).subarray(sourceStart, sourceStart + count), targetStart);
      return count;
    },
    fill(buffer, value, start, end, encoding = "utf8") {
      const bytes = viewOf(buffer);
      if (start < 0 || end > bytes.length) return -2;
      const name = machine.load("internal/util").normalizeEncoding(encoding) ?? "utf8";
      const pattern =
        typeof value === "string"
          ? TO_BYTES[name](value)
          : isView(value)
            ? viewOf(value)
            : [value & 255];
      if (pattern.length === 0) return -1;
      for (let at = start; at < end; at++) bytes[at] = pattern[(at - start) % pattern.length];
      return undefined;
    },
    isAscii: (value) => viewOf(value).every((byte) => byte < 128),
    isUtf8: (value) => isWhole(viewOf(value)),
    indexOfBuffer: (buffer, pattern, offset, _encoding, isForward, end) =>
      find(buffer, viewOf(pattern), offset, isForward, end),
    indexOfNumber: (buffer, number, offset, isForward, end) =>
      find(buffer, Uint8Array.of(number), offset, isForward, end),
    indexOfString: (buffer, text, offset, encoding, isForward, end) =>
      find(buffer, Uint8Array.from(TO_BYTES[ENCODINGS[encoding]](text)), offset, isForward, end),
    swap16: swap(2),
    swap32: swap(4),
    swap64: swap(8),
    btoa: (text) =>
      codesOf(text).some((code) => code > 255) ? -1 : base64Text(TO_BYTES.latin1(text), false),
    atob(text) {
      const plain = text.replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
      if (/[^A-Za-z0-9+/]/.test(plain)) return -2;
      return plain.length % 4 === 1 ? -1 : lettersOf(base64Bytes(plain));
    },
    ...Object.fromEntries(
      [
        ["ascii", "ascii"],
        ["base64", "base64"],
        ["base64url", "base64url"],
        ["latin1", "latin1"],
        ["hex", "hex"],
        ["ucs2", "utf16le"],
        ["utf8", "utf8"],
      ].flatMap(([name, encoding]) => [
        [`${name}Slice`, slice(encoding)],
        [`${name}Write`, write(encoding)],
        [`${name}WriteStatic`, write(encoding)],
      ]),
    ),
  };

  // --- the string decoder: what is left of a letter waits in the decoder's own bytes -------------
  const [MISSING_BYTES, BUFFERED_BYTES, ENCODING] = [4, 5, 6];
  const rests = new WeakMap();
  const decoderOf = (state) => {
    if (!rests.has(state)) rests.set(state, []);
    return { encoding: ENCODINGS[state[ENCODING]], rest: rests.get(state) };
  };
  /** How many bytes at the end begin a letter that is not complete, and how many it still needs. */
  const incompleteEnd = (bytes, encoding) => {
    if (encoding === "utf8") {
      for (let back = 1; back <= Math.min(3, bytes.length); back++) {
        const at = bytes.length - back;
        if ((bytes[at] & 0xc0) === 0x80) continue;
        const length = lengthOf(bytes[at]);
        const isOpen = length > back && endOfLetter(bytes, at) === bytes.length;
        return isOpen ? [back, length - back] : [0, 0];
      }
      return [0, 0];
    }
    if (encoding === "utf16le") {
      const odd = bytes.length % 2;
      const high = bytes[bytes.length - odd - 1];
      const isPair = bytes.length - odd >= 2 && high >= 0xd8 && high < 0xdc;
      return [odd + (isPair ? 2 : 0), isPair ? 2 - odd : odd];
    }
    if (encoding === "base64" || encoding === "base64url") {
      const left = bytes.length % 3;
      return [left, left ? 3 - left : 0];
    }
    return [0, 0];
  };
  const keep = (state, rest, missing) => {
    rests.set(state, rest);
    state[MISSING_BYTES] = missing;
    state[BUFFERED_BYTES] = rest.length;
    for (let at = 0; at < 4; at++) state[at] = rest[at] ?? 0;
  };
  Object.assign(machine.bindings.string_decoder, {
    encodings: ENCODINGS,
    kIncompleteCharactersStart: 0,
    kIncompleteCharactersEnd: 4,
    kMissingBytes: MISSING_BYTES,
    kBufferedBytes: BUFFERED_BYTES,
    kEncodingField: ENCODING,
    kNumFields: 7,
    kSize: 7,
    decode(state, chunk) {
      if (typeof chunk === "string") return chunk;
      const { encoding, rest } = decoderOf(state);
      const bytes = Uint8Array.from([...rest, ...viewOf(chunk)]);
      const [open, missing] = incompleteEnd(bytes, encoding);
      keep(state, [...bytes.subarray(bytes.length - open)], missing);
      return TO_TEXT[encoding](bytes.subarray(0, bytes.length - open));
    },
    flush(state) {
      const { encoding, rest } = decoderOf(state);
      keep(state, [], 0);
      return TO_TEXT[encoding](Uint8Array.from(rest));
    },
  });

  // --- encodings ---------------------------------------------------------------------------------
  // Node 22 decodes all but complete UTF-8 and Latin-1 by the library ICU, later Nodes only UTF-16 and the
  // encodings of several bytes a letter. The letters of the others are the host's.
  const { host } = machine;
  const [FLUSH, FATAL, IGNORE_MARK] = [1, 2, 4];
  const invalid = (encoding) =>
    codedError(
      "ENCODING_INVALID_ENCODED_DATA",
      `The encoded data was not valid for encoding ${encoding}`,
    );
  /** The bytes that are decoded; `words` are those of the error for what has none. */
  const inputOf = (value, words) => {
    if (isView(value) || machine.is.isAnyArrayBuffer(value)) return viewOf(value);
    throw codedError("INVALID_ARG_TYPE", `The ${words}.`);
  };
  const OF_A_LIST =
    '"list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView';
  const OF_AN_INPUT = OF_A_LIST.replace("list", "input");
  const OF_LATIN1 =
    '"input" argument must be an instance of ArrayBuffer, SharedArrayBuffer, or ArrayBufferView';
  const isWhole = (bytes) => {
    for (let at = 0; at < bytes.length; ) {
      const end = endOfLetter(bytes, at);
      if (end - at !== lengthOf(bytes[at])) return false;
      at = end;
    }
    return true;
  };
  // Where ICU has other letters than the standard.
  const OF_ICU = {
    ibm866: { 26: 28, 28: 127, 127: 26 },
    "koi8-u": { 174: 0x255d, 190: 0x256c },
    "windows-874": Object.fromEntries(
      [219, 220, 221, 222, 252, 253, 254, 255].map((byte, at) => [byte, 0xf8c1 + at]),
    ),
    "windows-1253": { 170: 0xaa },
    "windows-1255": { 202: 0xfffd },
  };
  const NOT_OF_ICU = ["iso-8859-16", "replacement", "x-user-defined"];
  const SEVERAL_BYTES = /^(gb|big5|euc-|iso-2022|shift_jis)/;
  const letters = new Map();
  const lettersIn = (encoding) => {
    if (!letters.has(encoding)) {
      const all = [...JSON.parse(host("letters", encoding))];
      for (const [byte, code] of Object.entries(OF_ICU[encoding] ?? {}))
        all[byte] = String.fromCharCode(code);
      letters.set(encoding, all);
    }
    return letters.get(encoding);
  };
  const decodeBytes = (bytes, encoding) => {
    const all = lettersIn(encoding);
    return Array.from(bytes, (byte) => all[byte]).join("");
  };
  /** The text of some bytes, how many of them begin a letter that is not complete, and whether others are no letter. */
  const decodeUnits = (bytes, encoding) => {
    if (encoding === "utf-8") {
      const [open] = incompleteEnd(bytes, "utf8");
      const closed = bytes.subarray(0, bytes.length - open);
      return { text: utf8Text(closed), open, isBad: !isWhole(closed) };
    }
    const units = bytes.slice();
    if (encoding === "utf-16be") {
      const pairs = units.subarray(0, units.length & ~1);
      for (let at = 0; at < pairs.length; at += 2) pairs.subarray(at, at + 2).reverse();
    }
    const [open] = incompleteEnd(units, "utf16le");
    const text = TO_TEXT.utf16le(units.subarray(0, units.length - open));
    return { text: text.toWellFormed(), open, isBad: !text.isWellFormed() };
  };
  machine.bindings.icu = {
    getConverter(encoding, flags) {
      if (NOT_OF_ICU.includes(encoding)) return undefined;
      if (SEVERAL_BYTES.test(encoding))
        machine.refuseFor(`texts with several bytes a letter (TextDecoder("${encoding}"))`);
      return { encoding, flags, rest: [], hasBegun: false };
    },
    decode(converter, input, flags, encoding) {
      const { encoding: name, rest: bytesBefore } = converter;
      const isFatal = converter.flags & FATAL;
      const isLast = flags & FLUSH;
      const bytes = Uint8Array.from([...bytesBefore, ...inputOf(input, OF_AN_INPUT)]);
      converter.rest = [];
      if (!name.startsWith("utf-")) {
        const text = decodeBytes(bytes, name);
        if (isFatal && text.includes("\ufffd")) throw invalid(encoding);
        return text;
      }
      const { text, open, isBad } = decodeUnits(bytes, name);
      if (isFatal && (isBad || (isLast && open))) throw invalid(encoding);
      let whole = text;
      if (isLast && open) whole += "\ufffd";
      else if (open) converter.rest = [...bytes.subarray(bytes.length - open)];
      if (whole && !converter.hasBegun) {
        if (!(converter.flags & IGNORE_MARK)) whole = whole.replace(/^\ufeff/, "");
        converter.hasBegun = true;
      }
      if (isLast) converter.hasBegun = false;
      return whole;
    },
  };
  machine.bindings.encoding_binding = {
    encodeUtf8String: (text) => machine.bytesOf(text),
    encodeInto(text, target) {
      let [read, bytesWritten] = [0, 0];
      for (const letter of text) {
        const bytes = utf8Bytes(letter);
        if (bytesWritten + bytes.length > target.length) break;
        target.set(bytes, bytesWritten);
        read += letter.length;
        bytesWritten += bytes.length;
      }
      machine.bindings.encoding_binding.encodeIntoResults.set([read, bytesWritten]);
    },
    encodeIntoResults: new Uint32Array(2),
    decodeUTF8(value, ignoresMark, isFatal) {
      const bytes = inputOf(value, OF_A_LIST);
      if (isFatal && !isWhole(bytes)) throw invalid("utf-8");
      const text = utf8Text(bytes);
      return ignoresMark ? text : text.replace(/^\ufeff/, "");
    },
    decodeWindows1252: (value) => decodeBytes(inputOf(value, OF_LATIN1), "windows-1252"),
    toASCII: (text) => text,
    toUnicode: (text) => text,
  };
};
