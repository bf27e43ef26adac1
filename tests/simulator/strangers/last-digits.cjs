const rate = 1.05;
console.log(
  rate ** 10,
  1000 * (1 + 0.07 / 12) ** 360,
  10 ** -11,
  (-2) ** 3,
  2 ** (3 ** 2),
  10n ** 20n,
);
console.log(
  Math.pow(0.3, 0.7),
  Math.hypot(3, 4.5, 7.1),
  Math.tanh(0.47),
  Math.exp(4.69),
  Math.log(0.979),
);
for (let x = 0.1; x < 3; x += 0.37)
  console.log(Math.sin(x), Math.cosh(x), Math.sinh(x), x ** 0.3, x.toString(36), x.toString(2));
console.log(
  (2 ** 75).toString(36),
  (255).toString(16),
  (-0.5).toString(2),
  Math.hypot.length,
  Math.pow.name,
);
try {
  console.log(2n ** 2);
} catch (error) {
  console.log(error.message);
}
