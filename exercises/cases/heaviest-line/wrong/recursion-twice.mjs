const keyOf = ({ functionName, url, lineNumber }) => `${url} ${lineNumber} ${functionName}`;

export function heaviest({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map();
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);

  const found = new Map();
  for (const { callFrame } of nodes)
    if (callFrame.url)
      found.set(keyOf(callFrame), {
        name: callFrame.functionName,
        url: callFrame.url,
        line: callFrame.lineNumber + 1,
        self: 0,
        total: 0,
      });

  for (const [i, leaf] of samples.entries()) {
    const ms = timeDeltas[i] / 1000;
    const own = found.get(keyOf(byId.get(leaf).callFrame));
    if (own) own.self += ms;
    const onStack = []; // each function once, however often it is on the stack
    for (let id = leaf; id !== undefined; id = parents.get(id))
      onStack.push(keyOf(byId.get(id).callFrame));
    for (const key of onStack) if (found.has(key)) found.get(key).total += ms;
  }
  return [...found.values()].sort((a, b) => b.self - a.self);
}
