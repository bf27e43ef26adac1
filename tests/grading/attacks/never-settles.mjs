// summary. Promises, and never keeps it.
export const summary = () => new Promise(() => {});
