// Milliseconds of processor time that a server used within the window of a trial.
function used({ pid, before, after }) {
  const known = new Map(before.map((one) => [one.pid, one.user + one.system]));
  return after
    .filter((one) => one.pid === pid || one.parent === pid)
    .reduce((sum, one) => sum + one.user + one.system - (known.get(one.pid) ?? 0), 0);
}

export function costs(records) {
  const totals = {};
  for (const record of records) {
    totals[record.server] ??= { ms: 0, answers: 0 };
    const total = totals[record.server];
    total.ms += used(record);
    total.answers += record.answers;
  }
  return Object.fromEntries(
    Object.entries(totals).map(([server, { ms, answers }]) => [
      server,
      answers ? (1000 * ms) / answers : null,
    ]),
  );
}
