const busy = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

let beats = 0;
const beat = setInterval(() => {
  beats += 1;
  console.log(`beat ${beats}`);
  if (beats === 1) busy(70);
  if (beats === 3) clearInterval(beat);
}, 20);

setTimeout(() => console.log("65 ms"), 65);
setTimeout(() => console.log("50 ms"), 50);
setTimeout(() => console.log("30 ms"), 30);
setImmediate(() => console.log("immediate"));
