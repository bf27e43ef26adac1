const { statSync, writeFileSync } = require("node:fs");
writeFileSync("/tmp/dated.txt", "x");
const { mtime, birthtime, size } = statSync("/tmp/dated.txt");
console.log(mtime instanceof Date, birthtime.constructor === Date, size);
class Day extends Date {
  year() {
    return this.getUTCFullYear();
  }
}
console.log(new Day(0).year(), new Day(5) instanceof Date, typeof Date(), Date.length, Date.name);
console.log(Object.getOwnPropertyNames(Date), Date.prototype.constructor === Date);
