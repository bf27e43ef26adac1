// How much longer a pattern takes to find no match, for one character more. PATTERN, and what the text repeats.
const { PATTERN = "(\\/.+)+$", REPEATS = "/" } = process.env;
const pattern = new RegExp(PATTERN);
const text = (n) => `${REPEATS.repeat(n)}\n`; // "." does not match a line break
const shortest = (n) => {
  const times = [1, 2, 3, 4, 5].map(() => {
    const began = performance.now();
    pattern.test(text(n));
    return performance.now() - began;
  });
  return Math.min(...times);
};
let n = 4;
while (n < 4096 && shortest(n) < 2) n += Math.max(1, Math.round(n / 20));
const few = n - 6;
const growth = (shortest(n) / shortest(few)) ** (1 / 6);
console.log(
  JSON.stringify({ pattern: PATTERN, characters: n, "times for one more": +growth.toFixed(2) }),
);
