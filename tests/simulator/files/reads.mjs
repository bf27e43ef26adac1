import { existsSync, readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

const { dirname } = import.meta;
console.log(readdirSync(join(dirname, "sub")), existsSync(join(dirname, "none")));
const file = new URL("./levels.json", import.meta.url);
console.log(JSON.parse(await readFile(file, "utf8")).levels, (await stat(file)).size);
