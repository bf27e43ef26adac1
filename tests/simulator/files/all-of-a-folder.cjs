const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");

const folder = join(__dirname, "steps");
const text = readFileSync(join(folder, "one.cjs"), "utf8");
for (const name of readdirSync(folder)) require(join(folder, name))();
console.log(text.split("\n").length);
import("./steps/two.cjs").then(({ default: two }) => two());
