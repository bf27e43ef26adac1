process.on("SIGUSR2", () => {
  console.log("sig");
  clearInterval(i);
});
const i = setInterval(() => {}, 1000);
setTimeout(() => process.kill(process.pid, "SIGUSR2"), 5);
