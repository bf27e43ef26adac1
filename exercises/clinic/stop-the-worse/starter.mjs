export function verdict({ measures }) {
  const worse = measures.filter((one) => one.ratio > 1).map((one) => one.name);
  return { code: worse.length > 0 ? 1 : 0, worse, open: [] };
}
