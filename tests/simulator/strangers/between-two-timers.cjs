setTimeout(() => console.log("this is setTimeout 1"), 10);
setTimeout(() => {
  console.log("this is setTimeout 2");
  process.nextTick(() => console.log("this is inner nextTick inside setTimeout"));
  Promise.resolve().then(() => console.log("this is inner promise inside setTimeout"));
}, 10);
setTimeout(() => console.log("this is setTimeout 3"), 10);
process.nextTick(() => console.log("this is process.nextTick"));
