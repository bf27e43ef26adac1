export function plan(arms, blocks) {
  return Array.from({ length: blocks }, (_, i) => (i % 2 ? arms.toReversed() : arms)).flat();
}
