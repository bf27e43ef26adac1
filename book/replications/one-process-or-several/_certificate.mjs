// A certificate for 127.0.0.1 that lives for a day, signed by its own key: for a test of this machine with itself, so that no key
// has to lie in a file. Node signs but writes no certificates, so its few fields are put together here (RFC 5280, in DER).
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const DAY_MS = 24 * 3600 * 1000;

/** A value in DER: its kind, its length, its bytes. */
const der = (kind, ...parts) => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const long = bytes.length < 256 ? [0x81, bytes.length] : [0x82, bytes.length >> 8, bytes.length];
  return Buffer.concat([
    Buffer.from([kind, ...(bytes.length < 128 ? [bytes.length] : long)]),
    bytes,
  ]);
};
const sequence = (...parts) => der(0x30, ...parts);
const named = (...numbers) => der(0x06, numbers); // an object identifier, its bytes
const time = (date) => der(0x17, date.toISOString().replace(/^..|[-:T]|\..*/g, ""), "Z");

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];

/** Makes a key on the curve P-256 and a certificate for it, both as PEM. */
export function certificate() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const signed = sequence(named(...ECDSA_WITH_SHA256));
  const me = sequence(der(0x31, sequence(named(...COMMON_NAME), der(0x0c, "a test on 127.0.0.1"))));
  const address = sequence(der(0x87, [127, 0, 0, 1]));
  const fields = sequence(
    der(0xa0, der(0x02, [2])), // version 3
    der(0x02, [1], randomBytes(8)), // its number
    signed,
    me, // by whom
    sequence(time(new Date(Date.now() - DAY_MS / 24)), time(new Date(Date.now() + DAY_MS))),
    me, // for whom
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(named(...SUBJECT_ALT_NAME), der(0x04, address)))),
  );
  const whole = sequence(fields, signed, der(0x03, [0], sign("sha256", fields, privateKey)));
  const lines = whole.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
