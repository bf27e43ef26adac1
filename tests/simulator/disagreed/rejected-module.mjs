let n = 0;
const go = () => {
  console.log(n++);
  if (n < 40) queueMicrotask(go);
};
queueMicrotask(go);
await (async () => {
  throw new Error("x");
})();
