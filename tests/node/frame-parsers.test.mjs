import assert from "node:assert/strict";
import { test } from "node:test";
import { parsers } from "../../servers/node/frame-parsers.mjs";

const head = (length) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
};
const sent = [0, 1, 3, 0, 70_000, 5].map((size, i) => Buffer.alloc(size, i + 1));
const bytes = Buffer.concat(sent.flatMap((payload) => [head(payload.length), payload]));

function parsed(name, size) {
  const got = [];
  const parse = parsers[name]((payload) => got.push(Buffer.from(payload)));
  for (let at = 0; at < bytes.length; at += size) parse(bytes.subarray(at, at + size));
  return got;
}

for (const name of ["concat", "make-room", "list"])
  test(`${name} finds the same frames however the bytes are cut`, () => {
    for (const size of [2, 3, 4, 5, 7, 1000, 65_536, bytes.length])
      assert.deepEqual(parsed(name, size), sent, `chunks of ${size}`);
  });

test("make-room and list take one byte at a time", () => {
  for (const name of ["make-room", "list"]) assert.deepEqual(parsed(name, 1), sent);
});

test("one-chunk is right only if chunks happen to be frames", () => {
  assert.notDeepEqual(parsed("one-chunk", bytes.length), sent);
});

test("list refuses a length above its limit before the frame has come", () => {
  const parse = parsers.list(() => assert.fail("there is no frame"));
  assert.throws(() => parse(head(2 ** 32 - 1)), /a frame of 4294967295 bytes, the limit is/);
});
