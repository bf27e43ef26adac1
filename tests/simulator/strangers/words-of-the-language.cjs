class Point {
  #x = 1;
  static xOf(point) {
    return point.#x;
  }
}
const attempts = [
  () => Point(),
  () => [1].map(Point),
  () => (1.5).toFixed(200),
  () => Math.max(1n),
  () => Object.keys(undefined),
  () => new WeakSet().add(1),
  () => Point.xOf({}),
  () => `${{ toString: () => ({}), valueOf: () => ({}) }}`,
];
for (const attempt of attempts)
  try {
    attempt();
  } catch (error) {
    console.log(error.name, error.message);
  }
