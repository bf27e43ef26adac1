// The thread ends while the last callback of a poll holds the main one: Node joins it in check.
const { Worker } = require("node:worker_threads");
const w = new Worker("", { eval: true });
w.on("exit", () => console.log("x"));
process.once("SIGUSR2", () => {
  const until = Date.now() + 200;
  while (Date.now() < until);
});
w.once("online", () => process.kill(process.pid, "SIGUSR2"));
