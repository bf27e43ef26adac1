const loop = 20; // {{loop}}

export function threads(groups, processors) {
  return processors;
}
