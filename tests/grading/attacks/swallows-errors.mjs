// always-later. Handles every error of the process, so that a wrong answer goes unnoticed.
process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});
export const cached = () => () => {
  throw new Error("never seen");
};
