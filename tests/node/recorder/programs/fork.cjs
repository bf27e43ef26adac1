const cp = require("node:child_process");
if (process.argv[2]) process.send("hi", () => process.disconnect());
else
  cp.fork(__filename, ["x"])
    .on("message", (m) => console.log(m))
    .on("exit", () => console.log("exit"));
