export function plan(arms, blocks) {
  return arms.flatMap((arm) => Array(blocks).fill(arm));
}
