export function keep(load, most) {
  const kept = new Map();
  return async function get(name) {
    if (!kept.has(name)) kept.set(name, await load(name)); // `most` is not checked yet
    return kept.get(name);
  };
}
