const { constants } = require("os");
const { getSystemErrorName, getSystemErrorMap } = require("util");
const { ENOENT, EADDRINUSE } = constants.errno;
console.log(ENOENT, EADDRINUSE, getSystemErrorName(-ENOENT), getSystemErrorMap().get(-EADDRINUSE));
console.log(constants.signals, constants.priority);
require("fs").readFile("/missing", (error) => console.log(getSystemErrorName(error.errno)));
