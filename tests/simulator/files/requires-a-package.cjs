const { name, add } = require("./package");
console.log(name, add(1, 2));
