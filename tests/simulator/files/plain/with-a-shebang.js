#!/usr/bin/env node
const exports_ = require("node:path").basename(__filename);
console.log(exports_, typeof require, typeof module);
