const FEWEST = 6; // with fewer blocks no sign-flip p falls below 5 %

export function plan(arms, blocks) {
  if (arms.length < 2)
    throw new RangeError(`a comparison needs two or more arms, not ${arms.length}`);
  if (new Set(arms).size < arms.length)
    throw new RangeError(`two arms have the same name: ${arms.join(", ")}`);
  if (!(blocks >= FEWEST))
    throw new RangeError(`a verdict needs ${FEWEST} blocks or more, not ${blocks}`);
  if (blocks % 2 !== 0)
    throw new RangeError(`only an even number of blocks cancels a drift, not ${blocks}`);
  return Array.from({ length: blocks }, (_, i) => (i % 2 ? arms.toReversed() : arms)).flat();
}
