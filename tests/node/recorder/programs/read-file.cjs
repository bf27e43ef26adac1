// fs.readFile makes four trips to the thread pool.
const fs = require("node:fs");

fs.readFile(__filename, () => console.log("read"));
