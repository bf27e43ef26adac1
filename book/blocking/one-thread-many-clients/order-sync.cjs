const fs = require("node:fs");

const moreWork = () => console.log("more work");

const data = fs.readFileSync(__filename);
console.log(`the file has ${data.length > 0 ? "arrived" : "no content"}`);
moreWork();
