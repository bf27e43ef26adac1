const z = require("node:zlib"),
  c = require("node:crypto");
z.gzip("x", () => console.log("gz"));
c.pbkdf2("a", "b", 1000, 32, "sha512", () => console.log("pbkdf2"));
c.randomBytes(8, () => console.log("rb"));
c.scrypt("a", "b", 32, () => console.log("scrypt"));
c.generateKeyPair("ec", { namedCurve: "P-256" }, () => console.log("kp"));
const s = z.createGzip();
s.on("data", () => {}).on("end", () => console.log("gzend"));
s.end("hello".repeat(10000));
c.subtle.digest("SHA-256", new Uint8Array(3)).then(() => console.log("subtle"));
