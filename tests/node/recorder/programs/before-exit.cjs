let n = 0;
process.on("beforeExit", () => {
  console.log("be");
  if (n++ < 2) setTimeout(() => console.log("again"), 1);
  process.nextTick(() => console.log("bt"));
});
