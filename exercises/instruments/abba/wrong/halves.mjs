const FEWEST = 6; // with fewer blocks no sign-flip p falls below 5 %

export function plan(arms, blocks) {
  if (arms.length < 2) throw new RangeError(`${arms.length} arms: a comparison takes two or more`);
  if (new Set(arms).size < arms.length)
    throw new RangeError(`${arms.join(", ")}: two arms of one name cannot be told apart`);
  if (!(blocks >= FEWEST)) throw new RangeError(`${blocks} blocks: a verdict takes ${FEWEST}`);
  if (blocks % 2 !== 0)
    throw new RangeError(`${blocks} blocks: only an even number of them takes a drift out`);
  return Array.from({ length: blocks }, (_, i) =>
    i >= blocks / 2 ? arms.toReversed() : arms,
  ).flat();
}
