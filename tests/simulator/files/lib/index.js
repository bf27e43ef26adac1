exports.name = "lib";
exports.later = require("./later");
