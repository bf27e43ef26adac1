import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode } from "../../lab/node/api/values.js";

test("rows are plain arrays that take their record along, until something is made of them", async () => {
  const sent = { $rows: [{ ms: { $number: "inf" } }, { ms: 1 }], $object: 7 };
  const rows = decode(sent, () => {});
  assert.deepEqual(rows, [{ ms: Number.POSITIVE_INFINITY }, { ms: 1 }]);
  assert.deepEqual(await encode({ of: [rows] }), { of: [sent] });
  assert.deepEqual(await encode(rows.slice(1)), [{ ms: 1 }]);
  rows.reverse();
  assert.deepEqual(await encode(rows), { ...sent, $rows: [...sent.$rows].reverse() });
});
