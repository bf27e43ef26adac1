const fs = require("node:fs");

const moreWork = () => console.log("more work");

fs.readFile(__filename, (_error, data) => {
  console.log(`the file has ${data.length > 0 ? "arrived" : "no content"}`);
});
moreWork();
