// What this process may have, asked before it is needed: a program that runs out halfway measures something else.

/** Ends the program with a sentence if it, or a server it started, may not open `many` files and sockets. */
export function needDescriptors(many) {
  const { soft } = process.report.getReport().userLimits?.open_files ?? {};
  if (typeof soft !== "number" || soft >= many) return;
  console.error(`${many} open files and sockets are needed, ${soft} are allowed.`);
  console.error(
    `Say \`ulimit -n ${many}\` in the shell from which you start this, then run it again.`,
  );
  process.exit(1);
}
