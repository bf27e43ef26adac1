// What the pages unpack is what the build packed, whatever the bytes are and however the packer was set.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { unpack } from "../../lab/simulator/page/unpack.js";

// Prints, for each content and each setting of the packer, the content and the .lzma file, both in base64.
const PACKING = `
import base64, json, lzma, random
numbers = random.Random(7)
word = lambda: bytes(numbers.choices(b"abcdefgh ", k=numbers.randrange(1, 9)))
contents = [b"", b"a", b"a" * 5000, bytes(range(256)) * 3, numbers.randbytes(3000),
    b"".join(word() for _ in range(4000)), b"abc" * 50 + numbers.randbytes(70000) + b"abc" * 50,
    "größer – 👋".encode() * 40]
contents.append(contents[4] + contents[5] + contents[4])
rows = []
for content in contents:
    for more in ({}, {"pb": 0}, {"lc": 4, "pb": 0}, {"lc": 0, "lp": 2, "pb": 1}, {"lc": 1, "lp": 3, "pb": 4}):
        filters = [{"id": lzma.FILTER_LZMA1, "preset": 6, **more}]
        packed = lzma.compress(content, lzma.FORMAT_ALONE, filters=filters)
        packed = packed[:5] + len(content).to_bytes(8, "little") + packed[13:]
        rows.append([base64.b64encode(content).decode(), base64.b64encode(packed).decode()])
print(json.dumps(rows))
`;

test("unpacking gives back each content that Python packs, with each setting", () => {
  const printed = execFileSync("python3", ["-c", PACKING], { maxBuffer: 2 ** 25 });
  const rows = JSON.parse(printed);
  assert.equal(rows.length, 45);
  for (const [content, packed] of rows)
    assert.equal(Buffer.from(unpack(packed)).toString("base64"), content);
});
