// summary. No timer of its own process would ever fire.
export const summary = async () => {
  for (;;) await null;
};
