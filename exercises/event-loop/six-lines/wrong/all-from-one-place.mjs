export function six(say) {
  setImmediate(() => {
    for (const word of ["tick", "promise", "timer", "file", "immediate", "again"]) say(word);
  });
}
