const { pbkdf2 } = require("node:crypto");
const fs = require("node:fs");

for (const name of ["first", "second", "third", "fourth"]) {
  pbkdf2("secret", "salt", 40_000, 32, "sha256", () => console.log(`${name} hash`));
}
fs.stat(__filename, () => console.log("stat"));
setTimeout(() => console.log("timer"), 5);
