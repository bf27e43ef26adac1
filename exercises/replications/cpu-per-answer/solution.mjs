// The pids of a process and of all that descend from it.
function family(pid, processes) {
  const members = new Set([pid]);
  for (let size = 0; size < members.size; ) {
    size = members.size;
    for (const one of processes) if (members.has(one.parent)) members.add(one.pid);
  }
  return members;
}

// Milliseconds of processor time that a server used within the window of a trial.
function used({ pid, before, after }) {
  const members = family(pid, after);
  const known = new Map(before.map((one) => [one.pid, one.user + one.system]));
  return after
    .filter((one) => members.has(one.pid))
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
