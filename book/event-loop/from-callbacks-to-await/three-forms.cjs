// One job in three forms: the first program of a folder, its size, its text. The same calls of fs each time.
const fs = require("node:fs");
const { promisify } = require("node:util");

// callbacks
function firstA(folder, done) {
  fs.readdir(folder, (error, [name] = []) => {
    if (error) return done(error);
    fs.stat(`${folder}/${name}`, (error, info) => {
      if (error) return done(error);
      fs.readFile(`${folder}/${name}`, (error, text) => {
        if (error) return done(error);
        done(null, text.length === info.size);
      });
    });
  });
}
// end of callbacks

const readdir = promisify(fs.readdir);
const stat = promisify(fs.stat);
const readFile = promisify(fs.readFile);

// promises
function firstB(folder) {
  return readdir(folder).then(([name]) => {
    const file = `${folder}/${name}`;
    return stat(file).then((info) => {
      return readFile(file).then((text) => text.length === info.size);
    });
  });
}
// end of promises

// await
async function firstC(folder) {
  const [name] = await readdir(folder);
  const info = await stat(`${folder}/${name}`);
  const text = await readFile(`${folder}/${name}`);
  return text.length === info.size;
}
// end of await

firstA(__dirname, async (_error, ok) => {
  console.log(`callbacks: ${ok}`);
  console.log(`promises: ${await firstB(__dirname)}`);
  console.log(`await: ${await firstC(__dirname)}`);
});
