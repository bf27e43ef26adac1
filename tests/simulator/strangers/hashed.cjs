const crypto = require("node:crypto");
for (const name of ["md5", "sha1", "sha224", "sha256", "sha384", "SHA-512".replace("-", "")])
  for (const text of [
    "",
    "héllo €",
    "x".repeat(55),
    "x".repeat(56),
    "y".repeat(112),
    "z".repeat(500),
  ]) {
    const mac = crypto.createHmac(name, text).update("message").digest("base64");
    console.log(name, crypto.createHash(name).update(text).digest("hex"), mac);
  }
const hash = crypto.createHash("sha256").update("a");
const copy = hash.copy();
console.log(hash.update(Buffer.from("b")).digest(), copy.digest("base64url"));
const attempts = [
  () => hash.update("late"),
  () => hash.digest(),
  () => crypto.createHash("md5").update(5),
  () => crypto.createHash(),
  () => crypto.createHmac("sha1", 5),
  () => crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("ab")),
];
for (const attempt of attempts)
  try {
    attempt();
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
console.log(crypto.hash("sha1", "x"), crypto.timingSafeEqual(Buffer.from("a"), Buffer.from("a")));
