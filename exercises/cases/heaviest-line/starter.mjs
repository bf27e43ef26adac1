export function heaviest({ nodes, samples }) {
  return nodes.map(({ id, callFrame }) => ({
    name: callFrame.functionName,
    url: callFrame.url,
    line: callFrame.lineNumber,
    self: samples.filter((sample) => sample === id).length,
    total: 0,
  }));
}
