export function costs(records) {
  const found = {};
  for (const { server, seconds, answers } of records) found[server] = (1e6 * seconds) / answers;
  return found;
}
