const fs = require("node:fs");
const folder = fs.mkdtempSync("/tmp/folders-");
fs.mkdirSync(`${folder}/b/x/y`, { recursive: true });
fs.mkdirSync(`${folder}/a/z`, { recursive: true });
for (const file of ["c.txt", "b/m.txt", "b/x/n.txt", "a/k.txt", "b/x/y/o.txt"])
  fs.writeFileSync(`${folder}/${file}`, "");
console.log(fs.readdirSync(folder, { recursive: true }));
const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
for (const entry of entries)
  console.log(entry.parentPath.slice(folder.length), entry.name, entry.isDirectory());
fs.readdir(`${folder}/b`, { recursive: true }, (error, names) => {
  console.log(error, names);
  fs.promises
    .readdir(folder, { recursive: true })
    .then(({ length }) => console.log(length))
    .then(() => fs.rmSync(folder, { recursive: true }));
});
