exports.levels = require("../levels.json");
