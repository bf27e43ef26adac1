import assert from "node:assert/strict";
import { test } from "node:test";
import {
  MAX_CHUNK_LINE_BYTES,
  MAX_HEAD_BYTES,
  ResponseParser,
} from "../../../lab/node/loadgen/http-response-parser.mjs";
import { fuzz } from "./fuzz.mjs";

// Parses pieces of text; answers what the parser knows at the end, or the code of the error.
function parse(pieces, { isHead = false, closed = false } = {}) {
  let body = "";
  const parser = new ResponseParser((buffer, from, to) => {
    body += buffer.latin1Slice(from, to);
  });
  parser.begin(isHead);
  let used = 0;
  try {
    for (const piece of pieces) used += parser.push(Buffer.from(piece, "latin1"), 0, piece.length);
  } catch (error) {
    return error.code;
  }
  if (closed) parser.close();
  const { done, status, keepAlive, bodyBytes } = parser;
  assert.equal(bodyBytes, body.length);
  return { done, status, keepAlive, body, used };
}

const HEAD = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${HEAD}Transfer-Encoding: chunked\r\n\r\n`;

// name: [bytes, what is found, options]
const VALID = {
  "Content-Length": [`${HEAD}Content-Length: 5\r\n\r\nhello`, { body: "hello" }],
  "an empty body": [`${HEAD}Content-Length: 0\r\n\r\n`, { body: "" }],
  "a repeated, equal Content-Length": [
    `${HEAD}Content-Length: 5\r\ncontent-length: 5, 05\r\n\r\nhello`,
    { body: "hello" },
  ],
  chunks: [`${CHUNKED}5\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n`, { body: "hello0123456789" }],
  "chunk extensions and trailers": [
    `${CHUNKED}5;a;b=c ; d = "e;\\"f"\r\nhello\r\n000\r\nX-Sum: 1\r\nY:\r\n\r\n`,
    { body: "hello" },
  ],
  "a body until close": [
    `${HEAD}Server: x\r\n\r\nhello`,
    { body: "hello", keepAlive: false },
    { closed: true },
  ],
  "HTTP/1.0": ["HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", { body: "hi", keepAlive: false }],
  "HTTP/1.0 with keep-alive": [
    "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi",
    { body: "hi", keepAlive: true },
  ],
  "Connection: close": [
    `${HEAD}Connection: x, Close\r\nContent-Length: 2\r\n\r\nhi`,
    { body: "hi", keepAlive: false },
  ],
  "interim responses": [
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${HEAD}Content-Length: 2\r\n\r\nhi`,
    { body: "hi" },
  ],
  204: ["HTTP/1.1 204 No Content\r\n\r\n", { status: 204 }],
  "304 with a length": ["HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", { status: 304 }],
  "HEAD with a length": [`${HEAD}Content-Length: 9\r\n\r\n`, { body: "" }, { isHead: true }],
  "an empty reason": ["HTTP/1.1 404 \r\nContent-Length: 2\r\n\r\nno", { status: 404, body: "no" }],
};

for (const [name, [text, expected, options]] of Object.entries(VALID)) {
  test(`${name}: the same result wherever the bytes are cut`, () => {
    const whole = {
      done: true,
      status: 200,
      keepAlive: true,
      body: "",
      used: text.length,
      ...expected,
    };
    assert.deepEqual(parse([text], options), whole);
    assert.deepEqual(parse(text.split(""), options), whole, "byte by byte");
    for (let cut = 0; cut <= text.length; cut++) {
      assert.deepEqual(
        parse([text.slice(0, cut), text.slice(cut)], options),
        whole,
        `cut at ${cut}`,
      );
      const isDone = parse([text.slice(0, cut)], { ...options, closed: false }).done;
      if (!options?.closed) assert.equal(isDone, cut === text.length, `done after ${cut} bytes`);
    }
    if (options?.closed) return;
    assert.deepEqual(parse([`${text}more`], options), whole, "what follows is left alone");
  });
}

const MALFORMED = {
  BAD_STATUS_LINE: [
    "SSH-2.0-OpenSSH",
    "HTTP/2 200 OK\r\n",
    "HTTP/1.2 200 OK\r\n",
    "HTTP/1.1 200\r\n",
    "HTTP/1.1 99 x\r\n",
    "HTTP/1.1 600 x\r\n",
    "HTTP/1.1  200 OK\r\n",
    "HTTP/1.1 200 O\0K\r\n",
    "\r\nHTTP/1.1 200 OK\r\n",
  ],
  BARE_LF: [
    "HTTP/1.1 200 OK\n",
    `${HEAD}A: b\n`,
    `${HEAD}\n`,
    `${CHUNKED}5\n`,
    `${CHUNKED}0\r\n\n`,
  ],
  BAD_FIELD: [
    `${HEAD}A : b\r\n`,
    `${HEAD}: b\r\n`,
    `${HEAD}A\r\n`,
    `${HEAD}A: b\rc\r\n`,
    `${HEAD}A: b\0\r\n`,
    `${HEAD}A: b\r\n folded\r\n`,
    `${HEAD}\xe4: b\r\n`,
    `${CHUNKED}0\r\nA b\r\n`,
  ],
  BAD_CONTENT_LENGTH: ["", "-1", "+1", "0x5", "5 5", "5,", "1e3", "99999999999999999", "\xa05"].map(
    (value) => `${HEAD}Content-Length: ${value}\r\n`,
  ),
  CONFLICTING_CONTENT_LENGTH: [
    `${HEAD}Content-Length: 5, 6\r\n`,
    `${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n`,
  ],
  BAD_TRANSFER_ENCODING: ["gzip, chunked", "identity", "", "chunked, chunked"].map(
    (value) => `${HEAD}Transfer-Encoding: ${value}\r\n`,
  ),
  LENGTH_AND_CHUNKED: [`${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`],
  CHUNKED_IN_HTTP_1_0: ["HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
  BAD_CHUNK_SIZE: ["", "x", " 5", "-5", ";a", "fffffffffffffff", "00000000000000005"].map(
    (size) => `${CHUNKED}${size}\r\n`,
  ),
  BAD_CHUNK_EXTENSION: ["5 ", "5;", "0x5", "5;a=", '5;a="', "5 x"].map(
    (line) => `${CHUNKED}${line}\r\n`,
  ),
  BAD_CHUNK_END: [`${CHUNKED}5\r\nhellox`, `${CHUNKED}5\r\nhello\rx`, `${CHUNKED}5\r\nhello\n`],
  UNEXPECTED_101: ["HTTP/1.1 101 Switching Protocols\r\n\r\n"],
  HEAD_TOO_LARGE: [
    `${HEAD}A: ${"b".repeat(MAX_HEAD_BYTES)}\r\n`,
    HEAD + "A: b\r\n".repeat(MAX_HEAD_BYTES / 6),
    "HTTP/1.1 100 Continue\r\n\r\n".repeat(MAX_HEAD_BYTES / 20),
    `${CHUNKED}0\r\n${"A: b\r\n".repeat(MAX_HEAD_BYTES / 6)}`,
  ],
  LONG_CHUNK_LINE: [`${CHUNKED}5;a=${"b".repeat(MAX_CHUNK_LINE_BYTES)}\r\n`],
};

for (const [code, texts] of Object.entries(MALFORMED)) {
  test(`${code} is what it is called, in one piece and byte by byte`, () => {
    for (const text of texts) {
      assert.equal(parse([text]), code, JSON.stringify(text.slice(0, 100)));
      assert.equal(parse(text.split("")), code, JSON.stringify(text.slice(0, 100)));
    }
  });
}

test("a connection closed early completes nothing but a body until close", () => {
  for (const text of [
    "",
    "HTTP/1.1",
    HEAD,
    `${HEAD}Content-Length: 5\r\n\r\nhell`,
    `${CHUNKED}5\r\nhello\r\n0\r\n`,
  ]) {
    assert.equal(parse([text], { closed: true }).done, false, text);
  }
});

test("the longest allowed head takes no noticeable time, whatever it is made of", () => {
  const started = performance.now();
  const filler = MAX_HEAD_BYTES - 200;
  for (const value of [`a${" ".repeat(filler)}b`, "a,".repeat(filler / 2), "\t".repeat(filler)]) {
    for (const name of ["Connection", "X"]) {
      assert.ok(parse([`${HEAD}${name}: ${value}\r\nContent-Length: 0\r\n\r\n`]).done);
    }
    assert.equal(parse([`${HEAD}Content-Length: ${value}\r\n`]), "BAD_CONTENT_LENGTH");
  }
  assert.ok(performance.now() - started < 20_000);
});

test("20,000 mutated responses: the same verdict, status and body as the reference parser", (t) => {
  const outcomes = fuzz(20_000, 1);
  t.diagnostic(JSON.stringify(outcomes));
  for (const count of Object.values(outcomes)) assert.ok(count > 500, "all outcomes occur");
});
