export function costs(records) {
  const totals = {};
  for (const record of records) {
    totals[record.server] ??= { ms: 0, answers: 0 };
    const total = totals[record.server];
    total.ms += 1000 * record.seconds;
    total.answers += record.answers;
  }
  return Object.fromEntries(
    Object.entries(totals).map(([server, { ms, answers }]) => [
      server,
      answers ? (1000 * ms) / answers : null,
    ]),
  );
}
