const BAND = 1.05;

// How many times worse the new version is: at least, and at most.
const turned = ({ better, low, high }) =>
  better === "less" ? { least: low, most: high } : { least: 1 / high, most: 1 / low };

export function verdict({ failed, measures }) {
  if (failed > 0) return { code: 2, worse: [], open: [] };
  const named = (wanted) => measures.filter((one) => wanted(turned(one))).map((one) => one.name);
  const worse = named(({ least }) => least > BAND);
  const open = named(({ least, most }) => least <= BAND && most > BAND);
  return { code: worse.length + open.length > 0 ? 1 : 0, worse, open };
}
