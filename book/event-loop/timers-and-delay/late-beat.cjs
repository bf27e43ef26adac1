const busy = (ms) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

let beats = 0;
const beat = setInterval(() => {
  beats += 1;
  console.log(`beat ${beats}`);
  if (beats === 1) busy(150);
  if (beats === 3) clearInterval(beat);
}, 40);

setTimeout(() => console.log("130 ms"), 130);
setTimeout(() => console.log("110 ms"), 110);
setTimeout(() => console.log("60 ms"), 60);
setImmediate(() => console.log("immediate"));
