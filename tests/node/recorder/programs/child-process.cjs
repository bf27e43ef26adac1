const cp = require("node:child_process");
const c = cp.spawn("echo", ["hi"]);
c.stdout.on("data", (d) => console.log(String(d).trim()));
c.on("exit", () => console.log("exit"));
c.on("close", () => console.log("close"));
cp.exec("true", () => console.log("exec"));
