// Files read and written whole, beside other work of the pool.
const crypto = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "whole-"));
const file = path.join(folder, "file");
let left = 2;
const done = () => {
  left -= 1;
  if (left === 0) fs.rmSync(folder, { recursive: true });
};

fs.writeFile(file, "words", () => fs.readFile(file, done));
crypto.pbkdf2("password", "salt", 1000, 16, "sha1", done);
