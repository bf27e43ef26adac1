export function deal(processes, events) {
  const owners = {};
  const waits = [];
  let turn = 0;
  for (const { is, id } of events) {
    if (is === "connect") owners[id] = 1 + (turn++ % processes);
    else if (is === "request") waits.push(false);
  }
  return { owners, waits };
}
