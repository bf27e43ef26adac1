// Loaded first by programs that others start: they leave when the one who started them has gone. SIGKILL,
// because threads behind a gate are held for ever, and an ordinary exit waits for them.
const { isMainThread } = require("node:worker_threads");
const leave = () => process.kill(process.pid, "SIGKILL");
if (isMainThread) process.stdin.on("end", leave).on("error", leave).resume();
