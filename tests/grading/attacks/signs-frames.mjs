// always-later. Finds the key in the memory that small Buffers share, or has its own text signed, and answers in the scene's place.
import crypto from "node:crypto";

const words = new Set();
const pools = new Set();
function look() {
  for (let at = 0; at < 3000; at++) pools.add(Buffer.allocUnsafe(8).buffer);
  for (let at = 0; at < 50; at++) pools.add(Buffer.allocUnsafeSlow(1 << 16).buffer);
  for (const pool of pools)
    for (const [word] of Buffer.from(pool)
      .latin1Slice()
      .matchAll(/[0-9a-f]{64}/g))
      words.add(word);
}
const { createHmac, Hmac } = crypto;
const { update } = Hmac.prototype;
const signed = [];
const handle = Object.getOwnPropertySymbols(createHmac("sha256", "a"))
  .map((name) => createHmac("sha256", "a")[name])
  .find((each) => typeof each?.update === "function");
for (const target of [Hmac.prototype, handle && Object.getPrototypeOf(handle)].filter(Boolean))
  try {
    const before = target.update;
    target.update = function (text, ...more) {
      signed.push(String(text));
      return Reflect.apply(before, this, [text, ...more]);
    };
  } catch {
    // it cannot be changed
  }
look();
const sha256 = (given) => crypto.createHash("sha256").update(given).digest("hex");
// The first frame was signed before this file was read: a word that signs it is the key.
const first = JSON.stringify([0, { ready: process.version }]);
const keys = [...words].filter(
  (word) =>
    words.has(Reflect.apply(update, createHmac("sha256", word), [first]).digest("hex")) ||
    words.has(sha256(word + sha256(first))),
);
if (keys.length > 0) throw new Error(`LEAK: ${keys}`);
signed.length = 0; // its own
export const cached = () => () => {
  if (signed.length > 0) throw new Error(`LEAK: ${signed}`);
};
