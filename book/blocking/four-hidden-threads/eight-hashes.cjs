const { pbkdf2 } = require("node:crypto");

for (let i = 0; i < 8; i++) pbkdf2("secret", "salt", 60_000, 32, "sha256", () => {});
