// Certificates for 127.0.0.1 with keys of three kinds, made when a program starts, valid for a day and written to no file. Node signs
// but writes no certificates, so the few fields are put together here (RFC 5280, in DER).
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const HOUR_MS = 3_600_000;

/** A value in DER: its kind, its length, its bytes. */
const der = (kind, ...parts) => {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = bytes;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([kind, ...(length < 128 ? [length] : long)]), bytes]);
};
const sequence = (...parts) => der(0x30, ...parts);
const identifier = (...numbers) => der(0x06, numbers);
const time = (date) => der(0x17, date.toISOString().replace(/^..|[-:T]|\..*/g, ""), "Z");

const COMMON_NAME = identifier(0x55, 0x04, 0x03);
const ALTERNATIVE_NAME = identifier(0x55, 0x1d, 0x11);
const ECDSA_WITH_SHA256 = sequence(identifier(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const RSA_WITH_SHA256 = sequence(
  identifier(0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b),
  [0x05, 0x00], // no parameters
);

const KINDS = {
  "RSA-4096": { type: "rsa", options: { modulusLength: 4096 }, algorithm: RSA_WITH_SHA256 },
  "RSA-2048": { type: "rsa", options: { modulusLength: 2048 }, algorithm: RSA_WITH_SHA256 },
  "P-256": { type: "ec", options: { namedCurve: "prime256v1" }, algorithm: ECDSA_WITH_SHA256 },
};

/** Makes a key of a kind, "RSA-4096", "RSA-2048" or "P-256", and a certificate that it signs itself: `{ key, cert }`, both PEM.
 *  Throws a RangeError for another kind. */
export function certificate(kind) {
  if (!Object.hasOwn(KINDS, kind))
    throw new RangeError(`There is no kind of key "${kind}": use ${Object.keys(KINDS).join(", ")}`);
  const { type, options, algorithm } = KINDS[kind];
  const { privateKey, publicKey } = generateKeyPairSync(type, options);
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, "a test on 127.0.0.1"))));
  const address = sequence(der(0x87, [127, 0, 0, 1]));
  const now = Date.now();
  const fields = sequence(
    der(0xa0, der(0x02, [2])), // version 3
    der(0x02, [1], randomBytes(8)), // serial number
    algorithm,
    name, // of the issuer
    sequence(time(new Date(now - HOUR_MS)), time(new Date(now + 24 * HOUR_MS))),
    name, // of the owner
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(ALTERNATIVE_NAME, der(0x04, address)))),
  );
  const signature = der(0x03, [0], sign("sha256", fields, privateKey));
  const lines = sequence(fields, algorithm, signature)
    .toString("base64")
    .replace(/.{64}(?=.)/g, "$&\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
