const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  [30, 10, 50].forEach(async (ms) => {
    await sleep(ms);
    console.log("slept", ms);
  });
  console.log("forEach is done");
  for (const ms of [30, 10]) {
    await sleep(ms);
    console.log("in turn", ms);
  }
})();
