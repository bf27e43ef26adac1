// summary. Is neither alive nor dead.
process.kill(process.pid, "SIGSTOP");
export const summary = () => ({});
