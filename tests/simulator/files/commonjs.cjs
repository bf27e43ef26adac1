const { name, later } = require("./lib");
const { levels } = require("./levels.json");
later((isMain, file) => console.log("later", isMain, file));
setTimeout(() => console.log("timer"), 5);
console.log(name, levels, require("./lib") === require("./lib/index.js"), module.id);
console.log(
  Object.keys(require.cache)
    .map((path) => path.split("/").pop())
    .join(),
);
