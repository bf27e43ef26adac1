// An interval whose work takes longer than its period never overlaps.
let left = 3;
const interval = setInterval(() => {
  const end = Date.now() + 15;
  while (Date.now() < end);
  console.log("beat");
  left -= 1;
  if (left === 0) clearInterval(interval);
}, 10);
const never = setTimeout(() => console.log("never"), 1000);
clearTimeout(never);
