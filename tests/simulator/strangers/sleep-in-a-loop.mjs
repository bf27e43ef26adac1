const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
for (let i = 0; i < 3; i++) {
  console.log("before", i);
  await sleep(10);
}
console.log("after");
