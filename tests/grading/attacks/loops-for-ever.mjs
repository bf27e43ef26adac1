// summary. Never gives the loop back.
export const summary = () => {
  for (;;);
};
