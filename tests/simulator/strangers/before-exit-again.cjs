let times = 0;
process.on("beforeExit", () => {
  console.log("beforeExit", ++times);
  if (times < 3) setTimeout(() => console.log("once more"), 1);
});
process.on("exit", () => console.log("exit"));
