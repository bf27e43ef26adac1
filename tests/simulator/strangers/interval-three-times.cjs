let count = 0;
const interval = setInterval(() => {
  console.log("interval", ++count);
  setImmediate(() => console.log("immediate", count));
  if (count === 3) clearInterval(interval);
}, 20);
