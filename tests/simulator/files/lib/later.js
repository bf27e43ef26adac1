const isMain = require.main === module;
module.exports = function later(callback) {
  process.nextTick(callback, isMain, __filename.split("/").pop());
};
