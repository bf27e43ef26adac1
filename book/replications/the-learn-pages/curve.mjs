// How long a pattern takes to find no match, by the length of the text: the shortest of five times.
const patterns = [
  [/(\/.+)+$/, "/"],
  [/(a+)+$/, "a"],
];
for (const [pattern, character] of patterns) {
  for (let n = 10; n <= 24; n++) {
    const text = `${character.repeat(n)}\n`;
    let least = Number.POSITIVE_INFINITY;
    for (let k = 0; k < 5; k++) {
      const began = performance.now();
      pattern.test(text);
      least = Math.min(least, performance.now() - began);
    }
    console.log(JSON.stringify({ pattern: pattern.source, characters: n, ms: +least.toFixed(4) }));
  }
}
